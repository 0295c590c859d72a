// Ten faults of a service. Each changes a response so that the document forbids it; the independent validator makes sure of that.
import { documentedResponse, faultIn } from '../judge.mjs'
import { credentialsFor, requiresCredentials } from '../requests/credentials.mjs'

/** What a property or an item becomes; at least one of these is no valid value of a schema that says anything. */
const WRONG_VALUES = [{ wrong: true }, 'no-such-value', -1.5, [], null]
const WRONG_BODIES = [[], 'error', 42, {}, { wrong: [true] }]

/**
 * The faults by name. A fault gets `{ operation, response, validator, resend }` and returns the changed response, or `undefined` where
 * it does not apply. `resend(headers, query)` sends the request again with more headers and parameters.
 */
export const FAULTS = {
  'wrong status': ({ operation, response }) =>
    isSuccess(response) && withUndocumentedStatus(operation, response, [200, 201, 202, 203, 206]),

  'missing property': ({ response, ...context }) =>
    isSuccess(response) && firstInvalid(response, context, withoutProperties),

  'wrong type': ({ response, ...context }) =>
    isSuccess(response) && firstInvalid(response, context, withWrongProperties),

  'wrong content type': ({ operation, response, validator }) => {
    if (response.status === 204 || response.body === '') return undefined
    const changed = withHeaders(response, { 'content-type': 'application/x-wrong' })
    return breaks(operation, response, changed, validator) ? changed : undefined
  },

  'missing or wrong header': ({ operation, response, validator }) => {
    const { headers = [] } = documentedResponse(operation, response.status) ?? {}
    return headers
      .flatMap(({ name }) =>
        [undefined, 'no-such-value'].map((value) =>
          withHeaders(response, { [name.toLowerCase()]: value }),
        ),
      )
      .find((changed) => breaks(operation, response, changed, validator))
  },

  'undocumented error status': ({ operation, response }) =>
    isRefusal(response) && withUndocumentedStatus(operation, response, [418, 451, 409]),

  '500 on bad input': ({ response }) =>
    [400, 413, 415, 422].includes(response.status) && {
      status: 500,
      headers: { 'content-type': 'text/plain' },
      body: 'Internal Server Error',
    },

  'missing credentials accepted': async ({ operation, response, resend }) => {
    if (response.status !== 401 || !requiresCredentials(operation)) return undefined
    const credentials = credentialsFor(operation.security)
    if (!credentials) return undefined
    const answer = await resend(credentials)
    return answer.status === 401 ? undefined : answer
  },

  'wrong error body': ({ operation, response, validator }) =>
    isRefusal(response) &&
    WRONG_BODIES.map((body) => withJson(response, body)).find((changed) =>
      breaks(operation, response, changed, validator),
    ),

  'broken item of a list': ({ response, ...context }) =>
    isSuccess(response) && firstInvalid(response, context, withBrokenItems),
}

function isSuccess({ status }) {
  return status >= 200 && status < 300
}

function isRefusal({ status }) {
  return status >= 400 && status < 500
}

/** Whether only the change is a fault. Of a status that the document does not have, any body is right. */
function breaks(operation, response, changed, validator) {
  const isFault = (one) => faultIn(operation, one, validator) !== undefined
  return isFault(changed) && !isFault(response)
}

/** A response whose own status is undocumented is no better than the changed one. */
function withUndocumentedStatus(operation, response, statuses) {
  if (!documentedResponse(operation, response.status)) return undefined
  const status = statuses.find((one) => !documentedResponse(operation, one))
  return status && { ...response, status }
}

function withHeaders(response, headers) {
  const entries = Object.entries({ ...response.headers, ...headers })
  return { ...response, headers: Object.fromEntries(entries.filter(([, value]) => value)) }
}

function withJson(response, value) {
  return { ...response, body: JSON.stringify(value) }
}

/** The first of many changed bodies that the document forbids. */
function firstInvalid(response, { operation, validator }, change) {
  if (!/json/.test(response.headers['content-type'] ?? '')) return undefined
  for (const value of change(JSON.parse(response.body))) {
    const changed = withJson(response, value)
    if (breaks(operation, response, changed, validator)) return changed
  }
  return undefined
}

/** The value without one of its properties, or without one of an inner value. */
function* withoutProperties(value) {
  if (!isObject(value)) return
  if (!Array.isArray(value))
    for (const name of Object.keys(value)) {
      const { [name]: _, ...rest } = value
      yield rest
    }
  yield* changedInside(value, withoutProperties)
}

/** The value with one property of another type. */
function* withWrongProperties(value) {
  if (!isObject(value)) return
  if (!Array.isArray(value))
    for (const name of Object.keys(value))
      for (const wrong of WRONG_VALUES) yield { ...value, [name]: wrong }
  yield* changedInside(value, withWrongProperties)
}

/** The value with a wrong last item of one list. */
function* withBrokenItems(value) {
  if (!isObject(value)) return
  if (Array.isArray(value) && value.length > 0) {
    for (const wrong of WRONG_VALUES) yield [...value.slice(0, -1), wrong]
    return
  }
  yield* changedInside(value, withBrokenItems)
}

function* changedInside(value, change) {
  for (const [name, inner] of Object.entries(value)) {
    for (const changed of change(inner)) {
      yield Array.isArray(value)
        ? value.map((entry, at) => (at === Number(name) ? changed : entry))
        : { ...value, [name]: changed }
    }
  }
}

function isObject(value) {
  return typeof value === 'object' && value !== null
}
