import { isDeepStrictEqual } from 'node:util'
import { expectValidExchange } from '../contract-validator.ts'
import type { FuzzResponse } from './connections.ts'
import type { Expected, Model } from './model.ts'
import { isRecord, type ModelRecord } from './record.ts'
import type { FuzzRequest } from './request.ts'

const ERROR_KEYS = ['code', 'message', 'status']

/** What is wrong with an answer; nothing when it is what the model expects. */
export function findMismatches(
  model: Model,
  request: FuzzRequest,
  expected: Expected,
  answer: FuzzResponse,
): string[] {
  const faults = [
    ...faultsOfHead(expected, answer),
    ...faultsOfBody(model, request, expected, answer),
  ]
  if (model.api.path === '/pets' && expected.headers['X-RateLimit-Limit'] !== null) {
    faults.push(...faultsByContract(model, request, answer))
  }
  return faults
}

function faultsOfHead(expected: Expected, { status, headers }: FuzzResponse): string[] {
  const faults =
    status === expected.status ? [] : [`the status is ${status}, not ${expected.status}`]
  for (const [name, value] of Object.entries(expected.headers)) {
    if (headers.get(name) !== value) faults.push(`${name} is ${headers.get(name)}, not ${value}`)
  }
  return faults
}

function faultsOfBody(
  model: Model,
  { method }: FuzzRequest,
  { status, code, row, rows, created, next }: Expected,
  { headers, body }: FuzzResponse,
): string[] {
  const hasNext = /rel="next"/.test(headers.get('Link') ?? '')
  if (hasNext !== (next !== undefined)) return [`a next page is ${hasNext ? '' : 'not '}told of`]
  if (method === 'HEAD' || status === 204) return body === '' ? [] : ['there is a body']
  const told: unknown = jsonIn(body)
  if (code !== undefined) return faultsOfError(told, status, code)
  if (created) return faultsOfCreated(model, told, created, headers)

  return isDeepStrictEqual(told, row ?? rows)
    ? []
    : [`the body is not ${JSON.stringify(row ?? rows)}`]
}

function faultsOfError(told: unknown, status: number, code: string): string[] {
  if (!isRecord(told)) return ['the body is no Error']
  const isError = isDeepStrictEqual(Object.keys(told).sort(), ERROR_KEYS)
  const isRight = told.code === code && told.status === status && typeof told.message === 'string'

  return isError && isRight ? [] : [`the body is not the Error ${code}`]
}

/** The answer alone tells the new id. */
function faultsOfCreated(
  model: Model,
  told: unknown,
  created: ModelRecord,
  headers: Headers,
): string[] {
  if (!isRecord(told)) return ['the body is no record']
  const { id, ...rest } = told
  if (!isDeepStrictEqual(rest, created)) return [`the body is not ${JSON.stringify(created)}`]
  const fault = model.created(told)
  const end = `${model.api.basePath}${model.api.path}/${id}`
  if (!headers.get('Location')?.endsWith(end)) return [`Location is not ${end}`]

  return fault === undefined ? [] : [fault]
}

function faultsByContract(
  model: Model,
  { method, target }: FuzzRequest,
  answer: FuzzResponse,
): string[] {
  const [path = ''] = target.split('?')
  try {
    expectValidExchange({ ...answer, method, path: path.slice(model.api.basePath.length) })
    return []
  } catch (error) {
    return [String(error)]
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
