// biome-ignore-all lint/style/noExcessiveLinesPerFile: All codes are in one table.
/** What an error code means, and what to do about it. */
export interface ErrorCodeEntry {
  readonly meaning: string
  readonly remedy: string
}

/** Every code of a UsageError: a mistake of the developer who uses the sandbox. */
export const USAGE_ERROR_CODES = {
  answer_too_deep: {
    meaning: 'The response of the sandbox is nested too deeply.',
    remedy: 'Check that the address is that of a sandbox.',
  },
  answer_too_long: {
    meaning: 'The response of the sandbox is too long.',
    remedy: 'Ask for fewer records or exchanges at a time, for example with a limit.',
  },
  body_taken: {
    meaning: 'Another Express middleware has read the request body before the sandbox.',
    remedy: 'Mount the sandbox before body parsers.',
  },
  cannot_listen: {
    meaning: 'The server cannot listen on the host and port.',
    remedy: 'Choose another port with --port, or another host with --host.',
  },
  cannot_run: {
    meaning: 'The command after "exec --" cannot be started.',
    remedy: 'Check the name of the command and its permissions.',
  },
  file_exists: {
    meaning: 'The command "init" would overwrite a file.',
    remedy: 'Use --force to overwrite it.',
  },
  foreign_sandbox: {
    meaning: 'Another copy of pet-sandbox created the sandbox.',
    remedy: 'Import everything from one installation; "npm ls pet-sandbox" lists them.',
  },
  invalid_base_url: {
    meaning: 'The option baseUrl of the MSW handlers is not a URL, a path or a pattern.',
    remedy: 'Write it as https://api.example.com/v1, /v1 or */v1.',
  },
  invalid_config: {
    meaning: 'The configuration file does not contain an object of settings.',
    remedy: 'Write settings as "port: 4010".',
  },
  invalid_contract: {
    meaning: 'The OpenAPI document has mistakes.',
    remedy: 'Correct the document at the places that the message lists.',
  },
  invalid_duration: {
    meaning: 'A duration or a range of durations cannot be read.',
    remedy: 'Write 61s, 5m, 1h30m, PT61S, milliseconds, or a range as 100ms..2s.',
  },
  invalid_har: {
    meaning: 'The file is not an HTTP archive (HAR 1.2).',
    remedy: 'Give the address of a sandbox, a .har file or the JSON of a report.',
  },
  invalid_hint: {
    meaning: 'An x-faker hint of the document names no method of @faker-js/faker.',
    remedy: 'Name a method as number.int.',
  },
  invalid_instant: {
    meaning: 'A time cannot be read, or is not between 1970 and 9999.',
    remedy: 'Write it as 2030-12-05T00:00:00Z.',
  },
  invalid_journal: {
    meaning: 'The journal of a sandbox has an unexpected form.',
    remedy: 'Use the same version of pet-sandbox on both sides.',
  },
  invalid_json: {
    meaning: 'A text on the command line is not valid JSON.',
    remedy: 'Correct the text.',
  },
  invalid_key: {
    meaning: 'A text cannot be an API key.',
    remedy: 'Use letters, digits and -._~+/ only (RFC 6750, section 2.1).',
  },
  invalid_name: {
    meaning: 'A name cannot be a segment of a URL.',
    remedy: 'Use another name.',
  },
  invalid_option: {
    meaning: 'The value of an option has the wrong type or is out of range.',
    remedy: 'Give a value as the message describes.',
  },
  invalid_origin: {
    meaning: 'An origin that may use the control interface is not an origin.',
    remedy: 'Write it as http://localhost:3000.',
  },
  invalid_overlay: {
    meaning: 'An OpenAPI overlay has mistakes.',
    remedy: 'Correct the overlay at the places that the message lists.',
  },
  invalid_project: {
    meaning: 'The package.json of the project is not valid JSON.',
    remedy: 'Correct the file.',
  },
  invalid_public_url: {
    meaning: 'The public URL is not an http or https URL, or includes the base path.',
    remedy: 'Write the URL that clients use, as https://example.com/sandbox.',
  },
  invalid_query: {
    meaning: 'A search of the journal has a wrong value.',
    remedy: 'Correct the field that the message names.',
  },
  invalid_record: {
    meaning: 'A record does not match the contract.',
    remedy: 'Correct the properties that the message names.',
  },
  invalid_records: {
    meaning: 'The first records do not match the contract.',
    remedy: 'Correct the record that the message names.',
  },
  invalid_report: {
    meaning: 'The file is not the JSON of a report.',
    remedy: 'Give the file as "report --json" wrote it.',
  },
  invalid_rule: {
    meaning: 'The rule of a forced outcome has a wrong field.',
    remedy: 'Correct the field that the message names.',
  },
  invalid_scenario: {
    meaning: 'A scenario has mistakes.',
    remedy: 'Correct the scenario at the places that the message lists.',
  },
  invalid_seed: {
    meaning: 'No valid first records can be generated from the document.',
    remedy: 'Correct the schema, or give the property an x-faker hint.',
  },
  invalid_setting: {
    meaning:
      'A flag, an environment variable or a field of the configuration file has a wrong value.',
    remedy: 'Give a value as the message describes.',
  },
  invalid_snapshot: {
    meaning: 'The value is not a snapshot of a sandbox of this contract.',
    remedy: 'Give a snapshot that a sandbox of this contract took.',
  },
  invalid_store: {
    meaning: 'The address of the store is wrong.',
    remedy: 'Write it as redis://USER:PASSWORD@HOST:6379/0.',
  },
  invalid_target: {
    meaning: 'The address of the service to verify is not a base URL.',
    remedy: 'Write it as https://api.example.com/v1.',
  },
  invalid_token: {
    meaning: 'No HTTP header can carry the token of the control interface.',
    remedy: 'Use letters, digits and -._~+/ only.',
  },
  invalid_trust_proxy: {
    meaning: 'A trusted proxy is not an IP address, a subnet or a known range.',
    remedy: 'Write loopback, 10.0.0.1 or 10.0.0.0/8.',
  },
  invalid_url: {
    meaning: 'The address of the sandbox is not an http or https URL.',
    remedy: 'Write it as http://127.0.0.1:4010.',
  },
  invalid_value: {
    meaning: 'An argument of a function or a value on the command line is invalid.',
    remedy: 'Correct it as the message says, such as status=sold for NAME=VALUE.',
  },
  invalid_world: {
    meaning: 'A text cannot be the name of a world.',
    remedy: 'Use 1 to 200 characters, percent-encoded in URLs and headers.',
  },
  missing_key: {
    meaning: 'The command needs an API key, and none is given.',
    remedy: 'Add --key KEY, or set PET_SANDBOX_KEY.',
  },
  missing_package: {
    meaning: 'A package that pet-sandbox uses only for this task is not installed.',
    remedy: 'Install the package that the message names.',
  },
  newer_contract: {
    meaning: 'A newer version of pet-sandbox compiled the contract.',
    remedy: 'Update pet-sandbox, or run "pet-sandbox compile" again.',
  },
  no_answer: {
    meaning: 'The sandbox did not answer in time.',
    remedy: 'Check the address, or set a longer timeout.',
  },
  no_base: {
    meaning: 'The address of the sandbox ends with a path that is not the base path of its API.',
    remedy: 'Give the address of the server, alone or with the base path.',
  },
  no_check: {
    meaning: 'No check of "verify" has the words of --only.',
    remedy: 'Use words of the checks that --verbose lists.',
  },
  no_journal: {
    meaning: 'The journal of the world keeps no exchanges.',
    remedy: 'Start the sandbox with "journal: 10000" in its configuration file.',
  },
  no_msw: {
    meaning: 'The project does not have the package msw.',
    remedy: 'Run "npm install --save-dev msw".',
  },
  no_project: {
    meaning: 'The folder has no package.json.',
    remedy: 'Run the command in the folder of package.json, or run "npm init" first.',
  },
  no_public_folder: {
    meaning: 'The project has no folder for the worker script.',
    remedy: 'Name the folder with --public-dir.',
  },
  no_quota: {
    meaning: 'The sandbox has no plans, so no quota applies.',
    remedy: 'Add a plan, such as --plan free=60/1000.',
  },
  no_removal: {
    meaning: 'The operation has no Sunset date.',
    remedy: 'Name a deprecated operation that has one.',
  },
  no_runner: {
    meaning: 'No known test runner is in package.json.',
    remedy: 'Name one with --runner.',
  },
  no_sandbox: {
    meaning: 'The value is not a sandbox, or no sandbox answers at the address.',
    remedy: 'Check the value or the address, and that the sandbox runs without --no-control.',
  },
  no_session_storage: {
    meaning: 'The option persist needs sessionStorage, which is not available.',
    remedy: 'Run it in a page that may use sessionStorage, or leave the option out.',
  },
  no_temporary_folder: {
    meaning: 'No temporary folder can be created.',
    remedy: 'Set the environment variable TMPDIR to another folder.',
  },
  not_banned: {
    meaning: 'The API key is not banned, so its ban has no end.',
    remedy: 'Send requests that do not wait for Retry-After until the key is banned.',
  },
  nothing_recorded: {
    meaning: 'No request was recorded, so there is nothing to report on.',
    remedy: 'Check that the client sends its requests to this sandbox or world.',
  },
  other_contract: {
    meaning: 'The recording or the sandbox belongs to another API.',
    remedy: 'Name its document with --openapi.',
  },
  other_version: {
    meaning: 'The sandbox runs another version, which does not have the operation.',
    remedy: 'Use the same version of pet-sandbox on both sides.',
  },
  own_world: {
    meaning: 'The default world cannot be deleted.',
    remedy: 'Reset it instead.',
  },
  several_documents: {
    meaning: 'The command got more than one document.',
    remedy: 'Start a sandbox for each document.',
  },
  state_in_use: {
    meaning: 'Another process uses the state file.',
    remedy: 'Stop that process, or name another file.',
  },
  store_mismatch: {
    meaning:
      'The store has a sandbox of another document, with other options, or of another version of pet-sandbox.',
    remedy:
      'Start all instances with the same document and options, or choose another prefix with --store-prefix.',
  },
  store_unavailable: {
    meaning: 'The store cannot be used: it is away, full, too old, or refuses the credentials.',
    remedy: 'Correct what the message names.',
  },
  too_many_worlds: {
    meaning: 'The snapshot has more worlds than the sandbox keeps.',
    remedy: 'Raise the option worlds.',
  },
  unknown_collection: {
    meaning: 'The contract has no collection of this name.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_command: {
    meaning: 'The word is neither a command nor a document.',
    remedy: 'Use a command that "pet-sandbox --help" lists.',
  },
  unknown_key: {
    meaning: 'The sandbox does not have this API key.',
    remedy: 'Use a key that the error lists in "allowed", or add the key.',
  },
  unknown_locale: {
    meaning: 'There is no locale with this name.',
    remedy: 'Use a locale of faker, such as de or pt_BR.',
  },
  unknown_operation: {
    meaning: 'The document has no operation of this id, method or path.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_option: {
    meaning: 'There is no option of this name.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_outcome: {
    meaning: 'There is no outcome of this name.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_plan: {
    meaning: 'The sandbox does not have this plan.',
    remedy: 'Use a name that the error lists in "allowed", or add the plan.',
  },
  unknown_port: {
    meaning: 'The port of the sandbox is not known, because it listens on any free port.',
    remedy: 'Give the address of the sandbox.',
  },
  unknown_record: {
    meaning: 'The record does not exist.',
    remedy: 'Create it first.',
  },
  unknown_rule: {
    meaning: 'There is no forced outcome of this id, or no report rule of this name.',
    remedy: 'Use a value that the error lists in "allowed".',
  },
  unknown_runner: {
    meaning: 'The command "init" does not know this test runner.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_scenario: {
    meaning: 'The sandbox does not have a scenario of this name.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_setting: {
    meaning: 'There is no setting of this name.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unknown_verb: {
    meaning: 'The command "ctl" has no subcommand of this name.',
    remedy: 'Use a name that "pet-sandbox ctl --help" lists.',
  },
  unknown_world: {
    meaning: 'The sandbox does not have a world of this name.',
    remedy: 'Use a name that the error lists in "allowed".',
  },
  unreachable: {
    meaning: 'No server answers at the address of the sandbox.',
    remedy: 'Start the sandbox, or check the address.',
  },
  unreadable_config: {
    meaning: 'The configuration file cannot be read.',
    remedy: 'Name a YAML or JSON file with --config.',
  },
  unreadable_data: {
    meaning: 'A file or a folder of records (--data) cannot be read.',
    remedy: 'Check the name. Formats are JSON, YAML and CSV.',
  },
  unreadable_recording: {
    meaning: 'The recording cannot be read.',
    remedy: 'Check the name of the file and its permissions.',
  },
  unreadable_scenarios: {
    meaning: 'The folder of scenarios cannot be read.',
    remedy: 'Check the name of the folder, its files and its permissions.',
  },
  unusable_file: {
    meaning: 'The file of a snapshot or an HTTP archive cannot be read or written.',
    remedy: 'Name another file.',
  },
  unusable_state: {
    meaning: 'The sandbox cannot start from the state file.',
    remedy: 'Move the file away to start without it.',
  },
  unwritable_report: {
    meaning: 'The file of the report cannot be written.',
    remedy: 'Name another file.',
  },
  unwritable_state: {
    meaning: 'The state file cannot be written.',
    remedy: 'Correct what the message names, or name another file.',
  },
  world_exists: {
    meaning: 'The world exists already.',
    remedy: 'Delete it first, or choose another name.',
  },
} as const

/** Every code of a problem: what the service or the control interface answers in an Error body. */
export const PROBLEM_CODES = {
  api_key_banned: {
    meaning:
      'The API key is banned, because it kept sending requests without waiting for Retry-After.',
    remedy: 'Wait for the number of seconds in Retry-After.',
  },
  connection_reset: {
    meaning: 'The connection was closed without a response. Only the journal shows this code.',
    remedy: 'Treat it as a network failure, and retry later.',
  },
  forbidden: {
    meaning: 'The control interface refuses the page or the host name of the request.',
    remedy: 'Allow the page with --control-origin, or call the sandbox localhost.',
  },
  forced_status: {
    meaning: 'A request asked for a documented status of which the sandbox knows no other cause.',
    remedy: 'Remove the preference `code` from the request.',
  },
  incomplete_body: {
    meaning:
      'The connection ended before the whole body arrived. Only the journal shows this code.',
    remedy: 'Send the whole body.',
  },
  internal_error: {
    meaning:
      'The service failed: the outcome is forced, the state cannot be saved, or the sandbox has a bug.',
    remedy: 'Remove the forced outcome, or read the log. Report a bug.',
  },
  invalid_request: {
    meaning: 'The query, the body or the form of the request is not valid.',
    remedy: 'Correct what the message names.',
  },
  method_not_allowed: {
    meaning: 'The path does not have this method.',
    remedy: 'Use a method that the header Allow lists.',
  },
  no_answer: {
    meaning: 'The request was never answered. Only the journal shows this code.',
    remedy: 'Set a timeout in the client.',
  },
  no_exchange: {
    meaning: 'No exchange that matches the query came in time.',
    remedy: 'Check the query, or wait longer.',
  },
  not_acceptable: {
    meaning: 'The client accepts no media type of the response (header Accept).',
    remedy: 'Accept one of the media types that the message lists.',
  },
  not_found: {
    meaning: 'The path or the resource does not exist.',
    remedy: 'Check the path and the id.',
  },
  operation_removed: {
    meaning: 'The deprecated operation is past its Sunset date.',
    remedy: 'Use the operation that replaces it.',
  },
  outdated_page: {
    meaning: 'The dashboard was loaded before the sandbox was started.',
    remedy: 'Reload the page.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the service reads.',
    remedy: 'Send a smaller body.',
  },
  rate_limit_exceeded: {
    meaning: 'The quota of the minute or of the day is spent.',
    remedy: 'Wait for the number of seconds in Retry-After.',
  },
  request_timeout: {
    meaning: 'The request did not arrive in time.',
    remedy: 'Send the whole request sooner.',
  },
  service_unavailable: {
    meaning:
      'The service is temporarily unavailable: the outcome is forced, or the shared store cannot be used.',
    remedy:
      'Wait for the number of seconds in Retry-After. For a store, correct what the message names.',
  },
  unauthorized: {
    meaning: 'The API key or the token is missing or wrong.',
    remedy: 'Send it as "Authorization: Bearer <key>".',
  },
  unsupported_media_type: {
    meaning: 'The Content-Type or the encoding of the body is not supported.',
    remedy: 'Send application/json in UTF-8, without Content-Encoding.',
  },
} as const

/** A code of a UsageError, or of a problem that the control interface answers with. */
export type ErrorCode = keyof typeof USAGE_ERROR_CODES | keyof typeof PROBLEM_CODES
