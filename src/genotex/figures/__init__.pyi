from .arranging import (
    Components as Components,
    column_z_scores as column_z_scores,
    drawn_samples as drawn_samples,
    most_variable_genes as most_variable_genes,
    order_rows as order_rows,
    order_within as order_within,
    principal_components as principal_components,
    sample_profiles as sample_profiles,
    sample_densities as sample_densities,
    scaled_distances as scaled_distances,
    spread_evenly as spread_evenly,
)
from .browser import Window as Window, rounded as rounded, to_json as to_json
from .drawing import (
    plot as plot,
    save_figure as save_figure,
    save_figures as save_figures,
    to_matplotlib as to_matplotlib,
)
from .layout import lay_out as lay_out, text_width as text_width
from .scales import round_ticks as round_ticks
from .svg import draw_svg as draw_svg
from .look import COLOURS as COLOURS, LOOKS as LOOKS, level_key as level_key
from .model import (
    Axis as Axis,
    Figure as Figure,
    Line as Line,
    PointName as PointName,
    Panel as Panel,
    Scale as Scale,
    Series as Series,
)
from .kinds import (
    Registered as Registered,
    declared as declared,
    figure as figure,
    figures_of as figures_of,
)
from .subjects import (
    NO_EXPRESSION as NO_EXPRESSION,
    ChangeWords as ChangeWords,
    GeneResult as GeneResult,
    SampleMarks as SampleMarks,
)
from .kinds.all_genes import (
    NAMED as NAMED,
    concordance as concordance,
    ma as ma,
    p_values as p_values,
    running_sum as running_sum,
    volcano as volcano,
)
from .kinds.distributions import boxes as boxes, densities as densities
from .kinds.forest import (
    ForestRow as ForestRow,
    TraitEffect as TraitEffect,
    across_traits as across_traits,
    forest as forest,
)
from .kinds.genes_in_samples import gene_in_samples as gene_in_samples, profiles as profiles
from .kinds.heatmap import (
    correlations as correlations,
    genes_in_samples as genes_in_samples,
    heatmap as heatmap,
    trait_map as trait_map,
)
from .kinds.sample_map import (
    mds as mds,
    pca as pca,
    sample_distances as sample_distances,
    sample_points as sample_points,
    sex as sex,
)
from .kinds.scores import (
    AverageMark as AverageMark,
    ProblemMark as ProblemMark,
    RunMarks as RunMarks,
    averages as averages,
    cost_and_score as cost_and_score,
    list_lengths as list_lengths,
    precision_recall as precision_recall,
    side_by_side as side_by_side,
    stacked as stacked,
)
from .kinds.survival import (
    CurvePanel as CurvePanel,
    GroupCurve as GroupCurve,
    all_samples as all_samples,
    survival_curves as survival_curves,
)
