// Requests that must be refused. Only cases that follow from the document are made.
import { toRequest } from './build-request.mjs'
import { requiresCredentials } from './credentials.mjs'

const UNKNOWN_PATH = '/no-such-path-9f3/x'
const METHODS = ['DELETE', 'PUT', 'PATCH', 'POST', 'GET']
const FORCED_PER_OPERATION = 2

/**
 * The refusals of a document by kind. Each is `{ operation, server, request, accepts, want }`: `operation` is what the document says
 * about the response, `server` the operation whose base path is used, `accepts` says which statuses are right, and `want` says it in
 * words.
 *
 * - `forced`: a valid request with `Prefer: code=` and a documented error that has a body
 * - `body`: a body that breaks its schema
 * - `parameter`: a required query or header parameter is left out
 * - `credentials`: no credentials
 * - `route`: an unknown path, or a method that a path does not have
 */
export function refusalsOf(samples, operations, validator) {
  return {
    forced: samples.flatMap((sample) => forced(sample)),
    body: samples.flatMap((sample) => brokenBody(sample, validator)),
    parameter: samples.flatMap((sample) => missingParameter(sample)),
    credentials: samples.flatMap((sample) => withoutCredentials(sample)),
    route: samples.length === 0 ? [] : unknownRoutes(samples, operations),
  }
}

function forced({ operation, request }) {
  return [...operation.responses]
    .filter(([status, { content }]) => /^[45]\d\d$/.test(status) && content.some(hasSchema))
    .slice(0, FORCED_PER_OPERATION)
    .map(([status]) => ({
      operation,
      request: { ...request, headers: { ...request.headers, prefer: `code=${status}` } },
      ...oneOf([Number(status)]),
    }))
}

function brokenBody({ operation, parts }, validator) {
  const { media, value } = parts
  if (!media?.schema || !/json|form/i.test(media.type)) return []
  const broken = brokenValues(media, value).find((one) => !validator.isValid(media.schema, one))
  const request = broken !== undefined && toRequest(operation, { ...parts, value: broken })
  return request ? [{ operation, request, ...clientError(operation, [400, 422]) }] : []
}

/** Values that a schema probably forbids: a property is left out or has another type, or the whole body is something else. */
function brokenValues({ type }, value) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isObject ? Object.entries(value) : []
  const isJson = /json/i.test(type)
  return [
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([one]) => one !== name))),
    {},
    ...entries
      .filter(([, one]) => isJson || typeof one === 'number' || typeof one === 'boolean')
      .map(([name, one]) => ({
        ...value,
        [name]: typeof one === 'string' ? [[]] : 'no-such-value',
      })),
    ...(isJson ? [[], 42, 'text', [[]]] : []),
  ]
}

function missingParameter({ operation, parts }) {
  const required = [...parts.values.keys()].find(
    (one) => ['query', 'header'].includes(one.in) && !/^authorization$/i.test(one.name),
  )
  if (!required) return []
  const values = new Map([...parts.values].filter(([parameter]) => parameter !== required))
  const request = toRequest(operation, { ...parts, values })
  return request ? [{ operation, request, ...clientError(operation, [400, 422]) }] : []
}

function withoutCredentials({ operation, parts }) {
  if (!requiresCredentials(operation)) return []
  const credentials = { headers: {}, query: [], cookies: [] }
  const request = toRequest(operation, { ...parts, credentials })
  return request ? [{ operation, request, ...oneOf([401, 403]) }] : []
}

/** `operations` are all operations of the document, because `samples` may be only some of them. */
function unknownRoutes(samples, operations) {
  const [first] = samples
  const unknown = { method: 'GET', path: UNKNOWN_PATH, headers: first.request.headers }
  const cases = operations.some(({ path }) => matches(path, UNKNOWN_PATH))
    ? []
    : [{ server: first.operation, request: unknown, ...oneOf([404]) }]
  const plain = samples.find(({ operation }) => !operation.path.includes('{'))
  const used = operations
    .filter(({ path }) => plain && matches(path, plain.operation.path))
    .map(({ method }) => method)
  const method = METHODS.find((one) => !used.includes(one))
  if (plain && method) {
    const path = plain.request.path.split('?')[0]
    const wrong = { method, path, headers: plain.request.headers }
    cases.push({ server: plain.operation, request: wrong, ...oneOf([405, 404]), needsAllow: true })
  }
  return cases
}

/** Whether a template such as `/books/{id}` has this path. */
function matches(template, path) {
  const [ours, theirs] = [template.split('/'), path.split('/')]
  if (ours.length !== theirs.length) return false
  return ours.every((segment, at) => segment.includes('{') || segment === theirs[at])
}

/** The documented ones of these statuses; any 4xx where the document has none of them. */
function clientError(operation, statuses) {
  const documented = statuses.filter((status) => operation.responses.has(String(status)))
  if (documented.length > 0) return oneOf(documented)
  return { want: '4xx', accepts: (status) => status >= 400 && status < 500 }
}

function oneOf(statuses) {
  return { want: statuses.join(' or '), accepts: (status) => statuses.includes(status) }
}

function hasSchema({ type, schema }) {
  return schema !== undefined && /[+/]json\b/i.test(type)
}
