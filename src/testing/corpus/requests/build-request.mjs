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
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']

/**
 * The parts of a valid request: `{ values, credentials, media, value, isNamed }`, or `undefined` when no valid value was found for
 * a required part. `isNamed`: the document itself names the id at the end of the path.
 */
export function sampleParts({ root }, operation, validator) {
  const credentials = credentialsFor(operation.security)
  if (!credentials) return undefined
  const values = new Map()
  for (const parameter of operation.parameters) {
    if (!isSent(parameter) || isCredential(operation, parameter)) continue
    const found = sampleValue(root, validator, parameter, isWritable)
    if (!found) return undefined
    values.set(parameter, found)
  }
  const media = operation.method === 'GET' ? undefined : chosenMedia(operation.body?.content ?? [])
  const sample = media && sampleValue(root, validator, media)
  if (!sample && operation.method !== 'GET' && operation.body?.required) return undefined

  const last = [...values].find(([one]) => one.in === 'path' && isLastIn(operation.path, one.name))
  return {
    values: new Map([...values].map(([parameter, { value }]) => [parameter, value])),
    credentials,
    media: sample && media,
    value: sample?.value,
    isNamed: last?.[1].isDocumented === true,
  }
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
      headers[parameter.name.toLowerCase()] = writeSimpleParameter(parameter, one)
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

/** Only what the operation requires is sent. */
function isSent(parameter) {
  if (parameter.in === 'header' && IGNORED_HEADERS.includes(parameter.name.toLowerCase()))
    return false
  return parameter.required && ['path', 'query', 'header', 'cookie'].includes(parameter.in)
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
