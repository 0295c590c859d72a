// One valid request for an operation.
import { credentialsFor, isCredential } from './credentials.mjs'
import { sampleValue } from './sample-value.mjs'
import { chosenMedia, writeBody } from './write-body.mjs'
import {
  writePathParameter,
  writeQuery,
  writeQueryParameter,
  writeSimpleParameter,
} from './write-parameter.mjs'

/** Headers that OpenAPI describes elsewhere, so that parameters of these names are ignored. */
const IGNORED_HEADERS = ['accept', 'content-type']

/**
 * The parts of a valid request: `{ values, credentials, media, value, isNamed }`, or `undefined` when no valid value was found for
 * a required part. `isNamed`: the document itself names the id at the end of the path. `withOptional` adds the parameters that are
 * not required.
 */
export function sampleParts(document, operation, validator, withOptional = false) {
  const credentials = credentialsFor(operation.security)
  const values = sampleParameters(document, operation, validator, withOptional)
  if (!credentials || !values) return undefined
  const hasBody = operation.method !== 'GET' && operation.body !== undefined
  const media = hasBody ? chosenMedia(operation.body.content) : undefined
  const sample = media && sampleValue(document.root, validator, media)
  if (hasBody && operation.body.required && !sample) return undefined

  const last = [...values].find(([one]) => one.in === 'path' && isLastIn(operation.path, one.name))
  return {
    values: new Map([...values].map(([parameter, { value }]) => [parameter, value])),
    credentials,
    media: sample && media,
    value: sample?.value,
    isNamed: last?.[1].isDocumented === true,
  }
}

function sampleParameters({ root }, operation, validator, withOptional) {
  const values = new Map()
  for (const parameter of operation.parameters) {
    const { required } = parameter
    if (!canBeSent(parameter) || isCredential(operation, parameter)) continue
    const found = (required || withOptional) && sampleValue(root, validator, parameter, isWritable)
    if (found) values.set(parameter, found)
    else if (required) return undefined
  }
  return values
}

/**
 * The request of these parts: `{ method, path, headers, body }`. The path is relative to the base path. `undefined` when a part
 * cannot be written.
 */
export function toRequest(operation, { values, credentials, media, value }) {
  const headers = { accept: 'application/json, */*;q=0.5', ...credentials.headers }
  const query = [...credentials.query]
  const cookies = [...credentials.cookies]
  let path = operation.path
  for (const [parameter, one] of values) {
    if (parameter.in === 'path')
      path = path.replace(`{${parameter.name}}`, () => writePathParameter(parameter, one))
    else if (parameter.in === 'query') query.push(...writeQueryParameter(parameter, one))
    else if (parameter.in === 'header')
      headers[parameter.name.toLowerCase()] ??= writeSimpleParameter(parameter, one)
    else cookies.push(`${parameter.name}=${writeSimpleParameter(parameter, one)}`)
  }
  if (/[{}]/.test(path)) return undefined
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  if (query.length > 0) path += `${path.includes('?') ? '&' : '?'}${writeQuery(query)}`
  if (!media) return { method: operation.method, path, headers }

  const written = writeBody(media, value)
  if (!written) return undefined
  headers['content-type'] = written.type
  return { method: operation.method, path, headers, body: written.body }
}

function canBeSent(parameter) {
  if (parameter.in === 'header' && IGNORED_HEADERS.includes(parameter.name.toLowerCase()))
    return false
  return ['path', 'query', 'header', 'cookie'].includes(parameter.in)
}

/** Dots would make another path, and OpenAPI forbids empty parameters. */
function isWritable(value) {
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0
  return !['', '.', '..'].includes(value)
}

function isLastIn(path, name) {
  const end = path.lastIndexOf('{')
  return path.slice(end).startsWith(`{${name}}`)
}
