from .findings import Findings as Findings, ranked as ranked
from .meta_report import build_meta_page as build_meta_page, write_meta_report as write_meta_report
from .problem_page import (
    ReportPage as ReportPage,
    build_page as build_page,
    build_unanswered_page as build_unanswered_page,
    render_page as render_page,
)
from .problem_report import (
    write_report as write_report,
    write_unanswered_report as write_unanswered_report,
)
from .sections import all_sections as all_sections
