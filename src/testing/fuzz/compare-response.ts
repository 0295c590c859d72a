import { isDeepStrictEqual } from 'node:util'
import { expectValidExchange } from '../contract-validator.ts'
import type { FuzzResponse } from './connections.ts'
import type { Expected, Model } from './model.ts'
import { isRecord, type ModelRecord } from './record.ts'
import type { FuzzRequest } from './request.ts'

const ERROR_KEYS = ['code', 'message', 'status']

/** The differences between a response and what the model expects. */
export function findMismatches(
  model: Model,
  request: FuzzRequest,
  expected: Expected,
  response: FuzzResponse,
): string[] {
  const mismatches = [
    ...compareHead(expected, response),
    ...compareBody(model, request, expected, response),
  ]
  if (model.api.path === '/pets' && expected.headers['X-RateLimit-Limit'] !== null) {
    mismatches.push(...compareWithContract(model, request, response))
  }
  return mismatches
}

function compareHead(expected: Expected, { status, headers }: FuzzResponse): string[] {
  const mismatches =
    status === expected.status ? [] : [`the status is ${status}, not ${expected.status}`]
  for (const [name, value] of Object.entries(expected.headers)) {
    if (headers.get(name) !== value)
      mismatches.push(`${name} is ${headers.get(name)}, not ${value}`)
  }
  return mismatches
}

function compareBody(
  model: Model,
  { method }: FuzzRequest,
  { status, code, row, rows, created, next }: Expected,
  { headers, body }: FuzzResponse,
): string[] {
  const hasNext = /rel="next"/.test(headers.get('Link') ?? '')
  if (hasNext !== (next !== undefined))
    return [`the response has ${hasNext ? 'a' : 'no'} link to a next page`]
  if (method === 'HEAD' || status === 204) return body === '' ? [] : ['the response has a body']
  const value: unknown = parseJson(body)
  if (code !== undefined) return compareError(value, status, code)
  if (created) return compareCreated(model, value, created, headers)

  return isDeepStrictEqual(value, row ?? rows)
    ? []
    : [`the body is not ${JSON.stringify(row ?? rows)}`]
}

function compareError(value: unknown, status: number, code: string): string[] {
  if (!isRecord(value)) return ['the body is not an Error']
  const isError = isDeepStrictEqual(Object.keys(value).sort(), ERROR_KEYS)
  const isEqual =
    value.code === code && value.status === status && typeof value.message === 'string'

  return isError && isEqual ? [] : [`the body is not the Error ${code}`]
}

/** The id of a created record is known only from the response. */
function compareCreated(
  model: Model,
  value: unknown,
  created: ModelRecord,
  headers: Headers,
): string[] {
  if (!isRecord(value)) return ['the body is not a record']
  const { id, ...rest } = value
  if (!isDeepStrictEqual(rest, created)) return [`the body is not ${JSON.stringify(created)}`]
  const mismatch = model.addCreated(value)
  const end = `${model.api.basePath}${model.api.path}/${id}`
  if (!headers.get('Location')?.endsWith(end)) return [`Location is not ${end}`]

  return mismatch === undefined ? [] : [mismatch]
}

function compareWithContract(
  model: Model,
  { method, target }: FuzzRequest,
  response: FuzzResponse,
): string[] {
  const [path = ''] = target.split('?')
  try {
    expectValidExchange({ ...response, method, path: path.slice(model.api.basePath.length) })
    return []
  } catch (error) {
    return [String(error)]
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
