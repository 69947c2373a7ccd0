# Golden values of affy's RMA, for tests/genes/test_rma.py.
#
#   python -m benchmarks golden_rma tests/fixtures/rma
#
# Makes a seeded chip of 64 probe sets and five arrays: CDF as text and as XDA, CEL version 3 (text)
# and version 4, and writes what affy makes of them: background, and expression of probe sets. The
# same cells as a gene array has them: PGF with probe sets of up to four probes, CLF, and MPS, as
# affxparser reads them.

suppressMessages({
  library(affy)
  library(makecdfenv)
  library(affxparser)
})

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")
folder <- normalizePath(folder)

set.seed(11)
side <- 36
sets <- 64
pairs <- rep(c(11, 8, 16, 5, 1, 2, 11, 11), length.out = sets)
names <- sprintf("%d_%s", 200000 + seq_len(sets), ifelse(seq_len(sets) %% 5 == 0, "s_at", "at"))
stopifnot(2 * sum(pairs) <= side^2)
place <- sample(side^2, 2 * sum(pairs)) - 1
x <- place %% side
y <- place %/% side

cdf <- file.path(folder, "Made-Chip.cdf")
out <- file(cdf, "wb")
put <- function(...) cat(..., "\r\n", sep = "", file = out)
put("[CDF]"); put("Version=GC3.0"); put("")
put("[Chip]"); put("Name=Made-Chip"); put("Rows=", side); put("Cols=", side)
put("NumberOfUnits=", sets); put("MaxUnit=", sets); put("NumQCUnits=0"); put("ChipReference="); put("")
at <- 0
bases <- c("A", "C", "G", "T")
for (u in seq_len(sets)) {
  n <- pairs[u]
  put("[Unit", u, "]"); put("Name=NONE"); put("Direction=2"); put("NumAtoms=", n); put("NumCells=", 2 * n)
  put("UnitNumber=", u); put("UnitType=3"); put("NumberBlocks=1"); put("")
  put("[Unit", u, "_Block1]"); put("Name=", names[u]); put("BlockNumber=1"); put("NumAtoms=", n)
  put("NumCells=", 2 * n); put("StartPosition=0"); put("StopPosition=", n - 1)
  put("CellHeader=X\tY\tPROBE\tFEAT\tQUAL\tEXPOS\tPOS\tCBASE\tPBASE\tTBASE\tATOM\tINDEX\tCODONIND\tCODON\tREGIONTYPE\tREGION")
  for (i in seq_len(2 * n)) {
    k <- at + i
    atom <- (i - 1) %/% 2
    target <- sample(4, 1)
    perfect <- i %% 2 == 1
    probe <- if (perfect) 5 - target else target
    put("Cell", i, "=", x[k], "\t", y[k], "\tN\tcontrol\t", names[u], "\t", atom, "\t13\t", bases[target],
      "\t", bases[probe], "\t", bases[target], "\t", atom, "\t", y[k] * side + x[k], "\t-1\t-1\t99\t ")
  }
  put("")
  at <- at + 2 * n
}
close(out)

level <- 2^rnorm(sets, 8, 2)
affinity <- 2^rnorm(sum(pairs), 0, 1)
files <- file.path(folder, sprintf("GSM%d_text.CEL", 1:5))
for (array in 1:5) {
  mean <- round(rnorm(side^2, 60, 15) + rexp(side^2, 1 / 20), 1)
  signal <- rep(level * 2^rnorm(sets, 0, 0.4), pairs) * affinity * 2^rnorm(sum(pairs), 0, 0.2) * (0.7 + array / 5)
  mean[1 + place[seq(1, by = 2, length.out = sum(pairs))]] <- round(signal + rnorm(sum(pairs), 60, 15), 1)
  mean <- pmax(mean, 5)
  out <- file(files[array], "wb")
  put("[CEL]"); put("Version=3"); put("")
  put("[HEADER]"); put("Cols=", side); put("Rows=", side); put("TotalX=", side); put("TotalY=", side)
  put("OffsetX=0"); put("OffsetY=0"); put("GridCornerUL=1 1"); put("GridCornerUR=9 1"); put("GridCornerLR=9 9")
  put("GridCornerLL=1 9"); put("Axis-invertX=0"); put("AxisInvertY=0"); put("swapXY=0")
  put("DatHeader=[0..65534]  made:CLS=36 RWS=36 XIN=1  YIN=1  VE=30        2.0 01/02/03 04:05:06 ",
    "\x14  \x14 Made-Chip.1sq \x14  \x14  \x14  \x14  \x14  \x14  \x14  \x14  \x14 6")
  put("Algorithm=Percentile"); put("AlgorithmParameters=Percentile:75;CellMargin:2"); put("")
  put("[INTENSITY]"); put("NumberCells=", side^2); put("CellHeader=X\tY\tMEAN\tSTDV\tNPIXELS")
  grid <- seq_len(side^2) - 1
  writeLines(sprintf("%3d\t%3d\t%.1f\t%.1f\t%3d", grid %% side, grid %/% side, mean, mean / 10, 16L), out, sep = "\r\n")
  put("")
  for (part in c("MASKS", "OUTLIERS")) {
    put("[", part, "]"); put("NumberCells=0"); put("CellHeader=X\tY"); put("")
  }
  put("[MODIFIED]"); put("NumberCells=0"); put("CellHeader=X\tY\tORIGMEAN"); put("")
  close(out)
}

convertCdf(cdf, file.path(folder, "Made-Chip.xda.cdf"), version = "4", verbose = FALSE)
convertCel(files[1], file.path(folder, "GSM1_binary.CEL"), verbose = FALSE)

madechipcdf <- make.cdf.env("Made-Chip.cdf", folder, verbose = FALSE)
arrays <- ReadAffy(filenames = files, cdfname = "madechipcdf")
record <- function(name, values) {
  write.table(format(values, digits = 15), file.path(folder, paste0(name, ".csv")),
    sep = ",", row.names = FALSE, quote = FALSE)
}
corrected <- pm(bg.correct(arrays, "rma"))
where <- unlist(pmindex(arrays))
record("background", data.frame(cell = where - 1, corrected[, 1:2], check.names = FALSE))
expressed <- exprs(rma(arrays, verbose = FALSE))
record("rma", data.frame(probe_set = rownames(expressed), expressed, check.names = FALSE))

matches <- split(where - 1, rep(names(pmindex(arrays)), lengths(pmindex(arrays))))[names]
lines <- list(pgf = c("#%chip_type=Made-Chip", "#%pgf_format_version=1.0",
    "#%header0=probeset_id\ttype\tprobeset_name", "#%header1=\tatom_id\ttype",
    "#%header2=\t\tprobe_id\ttype\tgc_count\tprobe_length"),
  mps = c("#%chip_type=Made-Chip", "probeset_id\ttranscript_cluster_id\tprobeset_list\tprobe_count"))
set <- 7000000
for (name in names) {
  parts <- split(matches[[name]], (seq_along(matches[[name]]) - 1) %/% 4)
  sets <- set + seq_along(parts)
  set <- max(sets)
  for (i in seq_along(parts)) {
    probes <- sprintf("\t%d\tmain\n\t\t%d\tpm:st\t9\t25", parts[[i]] + 1, parts[[i]] + 1)
    lines$pgf <- c(lines$pgf, sprintf("%d\tmain", sets[i]), probes)
  }
  lines$mps <- c(lines$mps, paste(name, name, paste(sets, collapse = " "), length(matches[[name]]), sep = "\t"))
}
lines$pgf <- c(lines$pgf, "9000000\tcontrol->affx", "\t1", "\t\t1\tmm:at\t9\t25")
all <- seq_len(side^2) - 1
lines$clf <- c("#%chip_type=Made-Chip", "#%clf_format_version=1.0", sprintf("#%%rows=%d", side), sprintf("#%%cols=%d", side),
  "#%sequential=1", "#%order=col_major", "#%header0=probe_id\tx\ty",
  sprintf("%d\t%d\t%d", all + 1, all %% side, all %/% side))
for (end in names(lines)) writeLines(lines[[end]], file.path(folder, paste0("Made-Chip.", end)))
pgf <- readPgf(file.path(folder, "Made-Chip.pgf"))
stopifnot(identical(sort(pgf$probeId), sort(c(as.integer(where), 1L))), sum(pgf$probeType == "pm:st") == sum(pairs))
clf <- readClf(file.path(folder, "Made-Chip.clf"))
stopifnot(clf$id - 1 == clf$y * side + clf$x)

for (name in list.files(folder, "\\.(cdf|CEL|pgf|clf|mps)$", full.names = TRUE)) {
  packed <- gzfile(paste0(name, ".gz"), "wb")
  writeBin(readBin(name, "raw", file.size(name)), packed)
  close(packed)
  file.remove(name)
}
