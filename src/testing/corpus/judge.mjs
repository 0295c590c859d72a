// Judges a response by the document: status, content type, declared headers, body.

/** Statuses whose responses have no body. */
const WITHOUT_BODY = [204, 205, 304]

/**
 * What is wrong with a response, as `{ kind, detail }`; `undefined` when it is as documented. Kinds: `no response`, `server error`,
 * `undocumented status`, `content type`, `empty body`, `broken JSON`, `body`, `header`.
 */
export function faultIn(operation, response, validator) {
  if (response.failure) return { kind: 'no response', detail: response.failure }
  const documented = documentedResponse(operation, response.status)
  if (!documented) {
    const kind = response.status >= 500 ? 'server error' : 'undocumented status'
    return { kind, detail: `${response.status} ${response.body.slice(0, 160)}` }
  }
  return (
    headerFault(documented, response, validator) ?? contentFault(documented, response, validator)
  )
}

/** The documented response for a status: itself, its range such as `4XX`, or `default`. */
export function documentedResponse({ responses }, status) {
  const names = [String(status), `${Math.floor(status / 100)}XX`, 'DEFAULT']
  return names.map((name) => responses.get(name)).find(Boolean)
}

function headerFault({ headers }, response, validator) {
  for (const { name, required, schema } of headers) {
    const text = response.headers[name.toLowerCase()]
    if (text === undefined && !required) continue
    if (text === undefined) return { kind: 'header', detail: `${name} is missing` }
    const values = headerValues(String(text), schema)
    if (!values.some((value) => validator.isValid(schema, value)))
      return { kind: 'header', detail: `${name}: ${text} is not valid` }
  }
  return undefined
}

/** What the text of a header can mean. */
function headerValues(text) {
  const values = [text]
  if (/^-?\d+(\.\d+)?$/.test(text)) values.push(Number(text))
  if (/^(true|false)$/.test(text)) values.push(text === 'true')
  values.push(text.split(/\s*,\s*/))
  try {
    values.push(JSON.parse(text))
  } catch {
    // Most headers are no JSON.
  }
  return values
}

function contentFault({ content }, { status, headers, body }, validator) {
  if (content.length === 0 || WITHOUT_BODY.includes(status)) return undefined
  const type = essence(headers['content-type'] ?? '')
  if (body === '' && type === '') return { kind: 'empty body', detail: `${status} has content` }
  const media = mediaFor(content, type)
  if (!media) return { kind: 'content type', detail: type === '' ? 'none' : type }
  if (!/[+/]json$/.test(type)) return textFault(media, body, validator)
  try {
    const error = validator.errorIn(media.schema, JSON.parse(body))
    return error && { kind: 'body', detail: error }
  } catch {
    return { kind: 'broken JSON', detail: body.slice(0, 100) }
  }
}

/** Of other media types, only text is judged. */
function textFault({ type, schema }, body, validator) {
  if (!/^text\/(plain|html)\b/.test(type) || schema?.type !== 'string') return undefined
  const error = validator.errorIn(schema, body)
  return error && { kind: 'body', detail: error }
}

function mediaFor(content, type) {
  const [main] = type.split('/')
  const fits = [type, `${main}/*`, '*/*']
  return fits.map((one) => content.find((media) => essence(media.type) === one)).find(Boolean)
}

function essence(type) {
  return type.split(';')[0].trim().toLowerCase()
}
