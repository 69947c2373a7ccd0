# Genes of some terms of Gene Ontology from Bioconductor's AnnotationDbi, for
# tests/genes/test_ontology.py.
#
#   python -m benchmarks golden_gene_ontology tests/fixtures/gene_ontology
#
# Needs org.Hs.eg.db and GO.db of the packaged terms (genotex/genes/data/ontology.json). Ancestors
# by "regulates" do not count, unlike in org.Hs.egGO2ALLEGS.

suppressMessages({
  library(org.Hs.eg.db)
  library(GO.db)
})

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

children <- list(
  bp = as.list(GOBPCHILDREN), mf = as.list(GOMFCHILDREN), cc = as.list(GOCCCHILDREN)
)
terms <- list(
  bp = c("GO:0060337", "GO:0006096", "GO:0030199", "GO:0042110", "GO:0002443", "GO:0000278"),
  mf = c("GO:0004896", "GO:0003735"),
  cc = c("GO:0005840", "GO:0005604")
)

below <- function(term, children) {
  found <- term
  waiting <- term
  while (length(waiting) > 0) {
    near <- children[[waiting[1]]]
    near <- near[names(near) %in% c("isa", "part of")]
    new <- setdiff(near[!is.na(near)], found)
    found <- c(found, new)
    waiting <- c(waiting[-1], new)
  }
  found
}

direct <- as.list(org.Hs.egGO2EG)
genes_of <- function(term, children) {
  annotated <- unlist(unname(direct[intersect(below(term, children), names(direct))]))
  annotated <- annotated[names(annotated) != "ND"]
  sort(unlist(mget(unique(unname(annotated)), org.Hs.egSYMBOL)), method = "radix")
}

rows <- list()
for (aspect in names(terms)) {
  for (term in terms[[aspect]]) {
    rows[[term]] <- data.frame(
      aspect = aspect, term = term, name = Term(GOTERM[[term]]),
      genes = paste(genes_of(term, children[[aspect]]), collapse = " ")
    )
  }
}
write.csv(do.call(rbind, rows), file.path(folder, "terms.csv"), row.names = FALSE)
versions <- sapply(c("org.Hs.eg.db", "GO.db", "AnnotationDbi"), function(name) {
  paste(name, packageVersion(name))
})
writeLines(
  c(R.version.string, versions, "made by benchmarks/golden/golden_gene_ontology.R"),
  file.path(folder, "VERSIONS.txt")
)
