from .catalogue import (
    PROVIDERS as PROVIDERS,
    ProviderModelName as ProviderModelName,
    ProviderOptions as ProviderOptions,
    RetryPolicy as RetryPolicy,
    StructuredMode as StructuredMode,
    check_address as check_address,
    parse_name as parse_name,
)
from .fences import MOST_SHOWN as MOST_SHOWN, cut as cut, fenced as fenced
from .model import (
    Author as Author,
    Message as Message,
    Model as Model,
    Reply as Reply,
    Request as Request,
    ScriptedModel as ScriptedModel,
    StopReason as StopReason,
    Usage as Usage,
)
from .prices import (
    ModelPrice as ModelPrice,
    PriceSnapshot as PriceSnapshot,
    PriceStep as PriceStep,
    Unpriced as Unpriced,
    flat_rate as flat_rate,
    price_at as price_at,
    take_prices as take_prices,
)
from .provider_model import (
    ProviderModel as ProviderModel,
    keys_put_away as keys_put_away,
    run_within as run_within,
    without_keys as without_keys,
)
from .recording import (
    DatedReply as DatedReply,
    RecordingModel as RecordingModel,
    RememberingModel as RememberingModel,
    ReplayModel as ReplayModel,
    first_difference as first_difference,
    read_recording as read_recording,
    reply_from_json as reply_from_json,
    reply_to_json as reply_to_json,
    request_digest as request_digest,
    request_from_json as request_from_json,
    request_to_json as request_to_json,
)
from .registry import (
    RoleModels as RoleModels,
    check_name as check_name,
    model_from_name as model_from_name,
    prices_of as prices_of,
    register as register,
    role_models as role_models,
)
from .settings import (
    ModelSettings as ModelSettings,
    Setting as Setting,
    read_settings as read_settings,
)
from .structured import (
    MAX_ATTEMPTS as MAX_ATTEMPTS,
    ModelAnswer as ModelAnswer,
    ask_for as ask_for,
    finished_text as finished_text,
    json_values as json_values,
    schema_of as schema_of,
)
from .usage import (
    Budget as Budget,
    MeteredModel as MeteredModel,
    SpendingLimits as SpendingLimits,
    Total as Total,
    UsageLedger as UsageLedger,
    UsageRow as UsageRow,
    dollars as dollars,
)
