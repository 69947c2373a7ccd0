"""A GEO series from raw files to clinical features and genes of its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from genotex.clinical import (
    GROUP_WORDS,
    ClinicalAnnotation,
    EncodedFeature,
    Expert,
    FeatureEncoding,
    GeneVerdict,
    SeriesDescription,
    Vocabulary,
    annotation_notes,
    apply_encoding,
    choose_groups,
    describe_series,
    fit_annotation,
    judge_expression,
    load_vocabulary,
    rule_expert,
    without_samples,
)
from genotex.cohorts.geo.files import (
    RawSeries,
    SubmittedValues,
    choose_file,
    fetch_table,
    lacks_table,
    no_table,
    read_raw_series,
    sample_facts,
    sample_relations,
    sample_texts,
)
from genotex.cohorts.geo.other_files import other_genes
from genotex.cohorts.geo.rna_seq import CountedGenes
from genotex.cohorts.prepared import (
    BY_PERSON,
    PreparedCohort,
    PreprocessOptions,
    input_distributions,
)
from genotex.errors import FormatError
from genotex.features import control_group, split_cell
from genotex.formats import Platform, Series
from genotex.genes import (
    GeneMapping,
    GeneTable,
    identify_ids,
    keep_rows,
    map_as_named,
    map_to_genes,
)
from genotex.layout import GeoCohortFiles
from genotex.procedure import Procedure
from genotex.words import counted

_SPECIES = {"Mus musculus": "mouse", "Rattus norvegicus": "rat"}
_OTHER_CONTROLS = ("other disease", "other control")
_SERIES_FACTS = ("title", "type", "pubmed_id", "status")


def prepare_geo_cohort(
    files: GeoCohortFiles, expert: Expert, options: PreprocessOptions
) -> PreparedCohort:
    """Read one GEO cohort: clinical features as codes, expression by official gene symbol."""
    return read_geo_cohort(files, expert, options)[0]


def read_geo_cohort(
    files: GeoCohortFiles, expert: Expert, options: PreprocessOptions
) -> tuple[PreparedCohort, RawSeries]:
    """Return a prepared GEO cohort, and the series that it was made of."""
    table = GeneTable.load(options.gene_table)
    raw = read_raw_series(
        files,
        needs_mapping=lambda series: rows_need_mapping(series, table),
        platforms=options.series_platform,
    )
    description = describe_raw(files, raw)
    given = options.readings.get(files.cohort)
    reading = read_or_replay(description, raw.series, files.trait, expert, options, given)
    features = encode_features(reading, raw.series, options, load_vocabulary(options.vocabulary))
    species = "" if files.trait else _other_species(raw.series, options.procedure)
    if species:
        # Of a trait, cohorts are human; a series by itself is tested with its own genes.
        gene = GeneVerdict(True, f"{species}; genes as they are named", human=False)
        reading = replace(reading, gene=gene)
    codes = features["trait"].codes if "trait" in features else None
    binary = _is_binary(reading)
    if reading.gene.available:
        how = SubmittedValues(options.scale, options.values_from, options.cell_type, species)
        found = other_genes(
            files, raw.series, codes, binary=binary, table=table, procedure=options.procedure,
            how=how,
        )  # fmt: skip
        if found is not None:
            return assemble_counted_cohort(files, raw, reading, features, found), raw
    genes, why_no_genes = _genes(files, raw, reading, table, options, species)
    return assemble_geo_cohort(files, raw, reading, features, genes, why_no_genes), raw


def prepare_samples(
    files: GeoCohortFiles, expert: Expert, options: PreprocessOptions
) -> PreparedCohort:
    """Read a GEO cohort as `prepare_geo_cohort` does, but for its genes."""
    raw = choose_file(files, options.series_platform)
    given, trait = options.readings.get(files.cohort), files.trait
    description = describe_raw(files, raw)
    reading = read_or_replay(description, raw.series, trait, expert, options, given)
    features = encode_features(reading, raw.series, options, load_vocabulary(options.vocabulary))
    return assemble_geo_cohort(files, raw, reading, features, None, "not read")


def _other_species(series: Series, procedure: Procedure) -> str:
    """Return mouse or rat where all samples are of it and the procedure keeps such genes."""
    names = {c for row in series.sample_fields.get("organism_ch1", ()) for c in row if c}
    if len(names) != 1 or not procedure.keeps_rows_without_map:
        return ""
    return _SPECIES.get(names.pop(), "")


def describe_raw(files: GeoCohortFiles, raw: RawSeries) -> SeriesDescription:
    """Return what an expert may see of a series."""
    # The folder names the cohort, also where the file states another accession.
    return replace(describe_series(raw.series, raw.platforms), cohort=files.cohort)


def given_by_person(description: SeriesDescription, options: PreprocessOptions) -> bool:
    """Return whether a sheet or a file annotates a series, so that no expert is asked."""
    sheet = options.sheet
    by_sheet = sheet is not None and bool(sheet.of(description.cohort, description.samples))
    return by_sheet or description.cohort in options.readings


def _is_binary(reading: ClinicalAnnotation) -> bool:
    return reading.trait is not None and reading.trait.kind == "binary"


def rows_need_mapping(series: Series, table: GeneTable) -> bool:
    """Return whether a series has rows whose ids are not gene symbols."""
    ids = series.expression.ids if series.expression is not None else ()
    return bool(ids) and identify_ids(ids, table).needs_mapping


def assemble_geo_cohort(
    files: GeoCohortFiles,
    raw: RawSeries,
    reading: ClinicalAnnotation,
    features: Mapping[str, EncodedFeature],
    genes: GeneMapping | None,
    why_no_genes: str,
) -> PreparedCohort:
    """Assemble a GEO cohort, with the description of its series."""
    return PreparedCohort(
        trait=files.trait,
        cohort=files.cohort,
        source="GEO",
        samples=raw.series.samples,
        reading=reading,
        features=features,
        genes=genes,
        why_no_genes=why_no_genes,
        series=_series_facts(raw.series, raw.platforms),
        files=list(raw.used),
        sample_facts=sample_facts(raw.series, reading),
        sample_texts=sample_texts(raw.series, reading),
        relations=sample_relations(raw.series, reading),
        distributions=input_distributions(raw.series.expression, genes),
        notes=(
            *raw.notes,
            *raw.series.notes,
            *annotation_notes(reading),
            *(note for feature in features.values() for note in feature.notes),
            *(genes.notes if genes else ()),
        ),
    )


def assemble_counted_cohort(
    files: GeoCohortFiles,
    raw: RawSeries,
    reading: ClinicalAnnotation,
    features: Mapping[str, EncodedFeature],
    counted: CountedGenes,
) -> PreparedCohort:
    """Assemble an RNA-seq cohort."""
    raw = replace(raw, used=(*raw.used, *counted.used), notes=(*raw.notes, *counted.notes))
    cohort = assemble_geo_cohort(files, raw, reading, features, counted.genes, counted.why_no_genes)
    return replace(cohort, counts=counted.record, distributions=counted.distributions)


def read_or_replay(
    description: SeriesDescription,
    series: Series,
    trait: str,
    expert: Expert,
    options: PreprocessOptions,
    given: ClinicalAnnotation | None = None,
) -> ClinicalAnnotation:
    """Annotate a series, or use what a person gave; then apply groups chosen by hand.

    `description`: The series, as an expert sees it. `trait`: Name of the trait; empty for age and
    sex alone, by the built-in rules. `expert`: Annotates it, unless a reading is given. `options`:
    Procedure, words, the sample sheet, groups chosen by hand, and the file of given readings.
    `given`: From an encoding file. Raises UsageError if groups chosen by hand do not occur.
    """
    sheet = options.sheet
    if sheet is not None and sheet.of(description.cohort, description.samples):
        from genotex.clinical import annotation_from_sheet

        reading = annotation_from_sheet(sheet, _by_rules(description, trait, options), description)
    elif given is None and not trait:
        reading = _by_rules(description, trait, options)
    elif given is None:
        reading = expert.annotate(description, trait)
    else:
        # A person's changes show against a fresh reading, always by the built-in rules.
        own = _by_rules(description, trait, options)
        source = "the encoding" if options.encoding is None else options.encoding.name
        reading = fit_annotation(_check(given, description), own, description, source)
    if options.cases or options.controls:
        chosen = _chosen_groups(reading, description, series, options)
        reading = _decided(reading, chosen)
    excluded: Mapping[str, str] = {}
    if options.exclude:
        from genotex.clinical import exclude_samples

        excluded = exclude_samples(description, options.exclude)
    pairs = {s: options.pair_of[s] for s in description.samples if s in options.pair_of}
    return replace(
        reading,
        excluded={**reading.excluded, **excluded},
        facts={**reading.facts, **({"pair": pairs} if pairs else {})},
    )


def _decided(reading: ClinicalAnnotation, chosen: FeatureEncoding) -> ClinicalAnnotation:
    """Return an annotation with the groups that a person chose: they leave nothing open."""
    still = {name: text for name, text in reading.review.items() if name != "trait"}
    # The certainty of the expert's own choice does not apply to this one.
    nothing: dict[str, Any] = {"certainty": None, "runner_up": None, "left_out": None}
    return replace(reading, trait=chosen, review=still, checks={}, **nothing)


def _by_rules(
    description: SeriesDescription, trait: str, options: PreprocessOptions
) -> ClinicalAnnotation:
    rules = rule_expert(options.procedure, vocabulary=options.vocabulary)
    return rules.annotate(description, trait) if trait else rules.annotate_people(description)


def _chosen_groups(
    reading: ClinicalAnnotation,
    description: SeriesDescription,
    series: Series,
    options: PreprocessOptions,
) -> FeatureEncoding:
    vocabulary = load_vocabulary(options.vocabulary)
    cases, controls = options.cases, options.controls
    from genotex.clinical import group_samples, need_conditions

    if not need_conditions(cases, controls):
        return choose_groups(reading.trait, cases, controls, description, vocabulary)
    return group_samples(
        description,
        series,
        reading.trait,
        cases,
        controls,
        procedure=options.procedure,
        vocabulary=vocabulary,
    )


def _check(given: ClinicalAnnotation, description: SeriesDescription) -> ClinicalAnnotation:
    """Judge expression again: a reading saved from the header alone never saw the row ids."""
    if given.by == "hand" or not given.gene.available:
        return given
    return replace(given, gene=judge_expression(description))


def encode_features(
    reading: ClinicalAnnotation, series: Series, options: PreprocessOptions, vocabulary: Vocabulary
) -> dict[str, EncodedFeature]:
    """Return the features of an annotation as codes, without the samples that are excluded."""
    features = {
        name: apply_encoding(encoding, series, procedure=options.procedure, vocabulary=vocabulary)
        for name, encoding in reading.columns.items()
    }
    if "trait" in features:
        features["trait"] = _without_diseases_of_treatments(features["trait"])
    if reading.excluded:
        features = {
            name: without_samples(feature, series, reading.excluded)
            for name, feature in features.items()
        }
    if options.control_roles == "healthy" and _is_binary(reading):
        features["trait"] = _without_other_controls(features["trait"])
    if "trait" in features:
        features["trait"] = _with_decision(features["trait"], reading)
    return features


def _without_diseases_of_treatments(feature: EncodedFeature) -> EncodedFeature:
    """Take no vehicle or untreated control for a sample of another disease."""
    own = {
        raw: control_group(split_cell(raw)[1]) is not None
        for raw, role in zip(feature.raw, feature.roles, strict=True)
        if raw and role == "other disease"
    }
    if not any(own.values()):
        return feature
    roles = tuple(
        "unknown" if role == "other disease" and own.get(raw or "") else role
        for raw, role in zip(feature.raw, feature.roles, strict=True)
    )
    return replace(feature, roles=roles)


def _with_decision(feature: EncodedFeature, reading: ClinicalAnnotation) -> EncodedFeature:
    """Note what a person decided about the samples, with the numbers that it gave."""
    trait = reading.trait
    if trait is None or (trait.sample_field != "sample" and not reading.excluded):
        return feature
    decided = trait.sample_field == "sample"
    source = f" ({trait.evidence[0]})" if decided and trait.evidence else ""
    what = f"{BY_PERSON}{source}" if decided else f"{BY_PERSON} (--exclude)"
    known = int((~np.isnan(feature.codes)).sum())
    counts = f"{known} samples with a value"
    if trait.kind == "binary":
        words = [
            GROUP_WORDS[r] for r, c in zip(feature.roles, feature.codes, strict=True) if c == c
        ]
        others = [f"{words.count(w)} {w}" for w in _OTHER_CONTROLS if w in words]
        groups = [counted(words.count(word), word) for word in ("case", "control")]
        counts = ", ".join([*groups, *others])
    rest = len(feature.codes) - known - len(reading.excluded)
    parts = [counts]
    if rest > 0:
        parts.append(f"{rest} without a group")
    if reading.excluded:
        from genotex.clinical import samples_text

        parts.append(f"{len(reading.excluded)} excluded: {samples_text(list(reading.excluded))}")
    return replace(feature, notes=(*feature.notes, f"{what}: {'; '.join(parts)}"))


def _without_other_controls(feature: EncodedFeature) -> EncodedFeature:
    """Leave out controls that are not known to be healthy."""
    other = (feature.codes == 0) & np.array([r != "healthy control" for r in feature.roles])
    codes = np.where(other, np.nan, feature.codes)
    note = f"{int(other.sum())} controls not known as healthy left out (controls: healthy)"
    return replace(feature, codes=codes, notes=(*feature.notes, note))


def _genes(
    files: GeoCohortFiles,
    raw: RawSeries,
    reading: ClinicalAnnotation,
    table: GeneTable,
    options: PreprocessOptions,
    species: str = "",
) -> tuple[GeneMapping | None, str]:
    if not reading.gene.available:
        animal = _other_species(raw.series, options.procedure)
        cure = f"; without a trait it is tested by the genes of the {animal}" if animal else ""
        return None, reading.gene.reason + cure
    series = raw.series
    if series.expression is None or not series.expression.ids:
        return None, no_table(options.procedure)
    matrix, scale, own = series.expression, options.scale, series.platform
    try:
        if species:
            named = map_as_named(matrix, raw.platforms, species, table=table, scale=scale, own=own)
            return named, ""
        mapping = map_to_genes(
            matrix, raw.platforms, procedure=options.procedure, table=table, scale=scale, own=own
        )
    except FormatError as error:
        if options.procedure.keeps_rows_without_map and lacks_table(raw):
            why = f"no table of {own} that fits is at hand; {fetch_table(files)}"
            return keep_rows(matrix, why, table=table, scale=scale), ""
        return None, f"rows cannot be mapped to genes: {error}"
    return mapping, ""


def _series_facts(series: Series, platforms: Sequence[Platform]) -> dict[str, str]:
    facts = {name: " ".join(series.series_fields.get(name, ())) for name in _SERIES_FACTS}
    facts["summary"] = series.summary
    facts["overall_design"] = series.overall_design
    facts["platform"] = series.platform or ""
    own = next((p for p in platforms if p.accession == series.platform), None)
    facts["platform_title"] = own.title if own else ""
    organisms = {c for row in series.sample_fields.get("organism_ch1", ()) for c in row if c}
    facts["organism"] = ", ".join(sorted(organisms))
    return {name: text for name, text in facts.items() if text}
