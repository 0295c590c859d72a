import { ValueLimit } from '../http/body-limits.ts'
import type { CoreRequest } from '../http/message.ts'
import { asProblem, problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { getOwn, setOwn } from '../validation/objects.ts'
import type { Operation, Parameter, RequestBody, ValidationTime } from './contract.ts'
import type { CredentialNames, Input, Reading, ReadOptions } from './input.ts'
import { decodeComponent, parseText } from './parse-text.ts'
import type { readDocumented } from './reading/read-documented.ts'
import { checkMediaType, MAX_BODY_BYTES, parseBody } from './request-body.ts'
import type { Match } from './router.ts'
import { isValidIn } from './schema.ts'

/**
 * Reads the input of a matched request. An error is a 404, 400, 413 or 415. What most requests to the shipped service need is here;
 * the rest, with the errors of parameters, is loaded when a request first needs it.
 */
export function read(
  match: Match,
  request: CoreRequest,
  options: ReadOptions = {},
): Reading | Promise<Reading> {
  const { operation } = match
  const { maxNotes, credentials, validation = 'error' } = options
  const isSimple = validation === 'error' && operation.hasSimpleInput
  const time: ValidationTime = { used: 0 }
  const input = isSimple ? simpleInput(match, request, time) : undefined
  if (!input) return readFurther(match, request, options, time)
  const notes = unknownParameters(operation, request, credentials).slice(0, maxNotes)
  if (!operation.body) return { input, notes }
  return readWithBody(operation, operation.body, request, { input, notes }, { ...options, time })
}

let documented: typeof readDocumented | undefined

async function readFurther(...given: Parameters<typeof readDocumented>): Promise<Reading> {
  documented ??= (await import('./reading/read-documented.ts')).readDocumented
  return documented(...given)
}

/** The parameters of the path and query; `undefined` when one is not valid. */
function simpleInput(
  { operation, pathParameters }: Match,
  { query }: CoreRequest,
  time: ValidationTime,
): Input | undefined {
  const path = {}
  const values = {}
  const sent = query === '' ? NO_QUERY : new URLSearchParams(`?${query}`)
  for (const parameter of operation.parameters) {
    const { name } = parameter
    const isPath = parameter.in === 'path'
    const texts = isPath ? [decodeComponent(getOwn(pathParameters, name) ?? '')] : sent.getAll(name)
    const value = simpleValue(parameter, texts, time)
    if (value === INVALID) return undefined
    if (value !== undefined) setOwn(isPath ? path : values, name, value)
  }
  return { path, query: values }
}

const INVALID = Symbol('invalid')

function simpleValue(
  { schema, required, validate }: Parameter,
  texts: readonly string[],
  time: ValidationTime,
): unknown {
  const [text, second] = texts
  if (text === undefined) return required ? INVALID : schema.default
  const value = parseText(text, schema)

  return second === undefined && isValidIn(time, validate, value) ? value : INVALID
}

const NO_QUERY = new URLSearchParams()

/** Reads the body, after the rest of the input. */
async function readWithBody(
  { method }: Operation,
  body: RequestBody,
  request: CoreRequest,
  { input, notes: earlier }: { readonly input: Input; readonly notes: readonly Note[] },
  {
    maxNotes = Number.POSITIVE_INFINITY,
    bodyLimit = MAX_BODY_BYTES,
    unknownProperties = 'drop',
    time,
  }: ReadOptions & { readonly time: ValidationTime },
): Promise<Reading> {
  const notes = [...earlier]
  const onRemove = (place: string): void => {
    if (notes.length < maxNotes) notes.push({ kind: 'dropped-property', place })
  }
  let bytes: Uint8Array | undefined
  try {
    checkMediaType(body, request)
    bytes = await request.body(bodyLimit)
    if (!bytes) throw problems.payloadTooLarge(bodyLimit)
    const value = await parseBody(body, bytes, request, {
      limit: ValueLimit.ofBody(bodyLimit),
      useDefaults: method !== 'PATCH',
      time,
      ...(unknownProperties === 'drop' && { onRemove }),
    })
    return { input: { ...input, body: value }, notes, ...(bytes && { body: bytes }) }
  } catch (error) {
    return { problem: asProblem(error), notes, ...(bytes && { body: bytes }) }
  }
}

/** Notes of the query parameters that the operation does not have. */
function unknownParameters(
  { parameters }: Operation,
  { query }: CoreRequest,
  credentials: CredentialNames | undefined,
): readonly Note[] {
  if (query === '') return []
  const sent = [...new Set(new URLSearchParams(`?${query}`).keys())]
  return sent
    .filter((name) => !parameters.some((known) => known.in === 'query' && known.name === name))
    .filter((name) => !credentials?.namesOf('parameter').includes(name))
    .map((name) => ({ kind: 'unknown-parameter', place: `query.${name}` }))
}
