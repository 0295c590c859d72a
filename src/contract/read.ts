import type { CoreRequest } from '../http/message.ts'
import {
  asProblem,
  describeInputErrors,
  type InputError,
  type Problem,
  problems,
} from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { isLargeInteger } from '../validation/large-integers.ts'
import { getOwn, isObject, onceByText, setOwn } from '../validation/objects.ts'
import { readBodyValue } from './body.ts'
import { MAX_BODY_BYTES } from './body-content.ts'
import type { Operation, Parameter, RequestBody, ValidationTime } from './contract.ts'
import { documentedResponse } from './documented-response.ts'
import type { CredentialNames, Input, Reading, ReadOptions, SentFile } from './input.ts'
import { isJson } from './json.ts'
import {
  otherSplits,
  type ParameterOptions,
  type ReadParameters,
  readParameters,
} from './parameters.ts'
import { decodeComponent, parseText } from './parse-text.ts'
import type { Match } from './router.ts'
import { isValidIn } from './schema.ts'

/**
 * Reads the input of a matched request. An error is a 404, 400, 413 or 415, or what the document has for invalid input. The texts of
 * most parameters have one meaning only, and reading them takes no promise.
 */
export function read(
  match: Match,
  request: CoreRequest,
  options: ReadOptions = {},
): Reading | Promise<Reading> {
  if (match.inBody) return readCall(match, request, options)
  const { operation } = match
  const { maxNotes, credentials, validation = 'error' } = options
  const isSimple = validation === 'error' && operation.hasSimpleInput
  const time: ValidationTime = { used: 0 }
  const input = isSimple ? simpleInput(match, request, time) : undefined
  if (!input || bodyOf(operation)) return readAll(match, request, options, time, input)
  const notes = unknownParameters(operation, request, credentials).slice(0, maxNotes)

  return { input, notes }
}

/** Reads a call whose body has what the query of its operation has. */
async function readCall(
  { inBody: _, ...match }: Match,
  request: CoreRequest,
  options: ReadOptions,
): Promise<Reading> {
  const { bodyLimit: limit = MAX_BODY_BYTES } = options
  let bytes: Uint8Array | undefined
  try {
    const body = await readBodyValue(match.operation, CALL_BODY, request, {
      limit,
      useDefaults: false,
      time: { used: 0 },
      onBytes: (read) => {
        bytes = read
      },
      onFile: () => {},
      onProblem: (problem) => {
        throw problem
      },
    })
    const query = new URLSearchParams(request.query)
    if (isObject(body))
      for (const [name, value] of Object.entries(body))
        for (const one of [value].flat())
          query.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one))
    const called = { ...request, query: query.toString() }
    const reading = await read(match, called, options)
    return { ...reading, ...(bytes && { body: bytes }) }
  } catch (error) {
    return { problem: asProblem(error), notes: [], ...(bytes && { body: bytes }) }
  }
}

/** The parameters of the path and query; `undefined` when one is not valid. */
function simpleInput(
  { operation, pathParameters }: Match,
  { query }: CoreRequest,
  time: ValidationTime,
): Input | undefined {
  const path = {}
  const values = {}
  const sent = queryOf(query)
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

/** The values in a query, which clients repeat. */
const queryOf = onceByText((query) => new URLSearchParams(`?${query}`))

/** Notes of the query parameters that the operation does not have. */
function unknownParameters(
  operation: Operation,
  request: CoreRequest,
  credentials: CredentialNames | undefined,
): readonly Note[] {
  return unknownNames(operation, request)
    .filter((name) => !credentials?.namesOf('parameter').includes(name))
    .map((name) => ({ kind: 'unknown-parameter', place: `query.${name}` }))
}

function unknownNames({ parameters }: Operation, { query }: CoreRequest): readonly string[] {
  if (query === '') return []
  return namesIn(query).filter(
    (name) => !parameters.some((one) => one.in === 'query' && one.name === name),
  )
}

const namesIn = onceByText((query) => [...new Set(queryOf(query).keys())])

/** Reads the input with all that a document can say about it. `simple` has the parameters, if they are valid and have one meaning. */
async function readAll(
  match: Match,
  request: CoreRequest,
  options: ReadOptions,
  time: ValidationTime,
  simple: Input | undefined,
): Promise<Reading> {
  const { operation } = match
  const { maxNotes = Number.POSITIVE_INFINITY, credentials } = options
  const { validation = 'error', unknownProperties = 'drop', bodyLimit = MAX_BODY_BYTES } = options
  const { takesLargeIntegers = unknownProperties === 'keep' } = options
  const notes: Note[] = []
  const note = (kind: Note['kind'], place: string): void => {
    if (notes.length < maxNotes) notes.push({ kind, place })
  }
  let bytes: Uint8Array | undefined
  const onProblem = (problem: Problem, places = placesOf(problem)): void => {
    if (validation === 'error' || problem.status === 413) throw problem
    if (validation === 'warn') for (const place of new Set(places)) note('invalid-input', place)
  }
  try {
    const found: ReadParameters = simple
      ? { ...simple, ...NO_ERRORS, unknownNames: unknownNames(operation, request) }
      : readWithSplit(match, request, { time, credentials, takesLargeIntegers })
    const { path, query, header, cookie, pathErrors, errors, unknownNames: unknown } = found
    const input: Input = { path, query, ...(header && { header }), ...(cookie && { cookie }) }
    if (pathErrors.length > 0) {
      const places = pathErrors.map(({ location }) => `path.${location}`)
      onProblem(pathProblem(operation, request, pathErrors), places)
    }
    if (errors.length > 0) onProblem(problems.invalidInput(errors))
    for (const name of unknown) {
      if (!credentials?.namesOf('parameter').includes(name))
        note('unknown-parameter', `query.${name}`)
    }
    const accepted = bodyOf(operation)
    if (!accepted) return { input, notes }
    let isUnchecked = Object.values(path).some(isLargeInteger)
    const files: SentFile[] = []
    const body = await readBodyValue(operation, accepted, request, {
      limit: bodyLimit,
      time,
      useDefaults: operation.method !== 'PATCH',
      ...(unknownProperties === 'drop' && {
        onRemove: (place: string) => note('dropped-property', place),
      }),
      onBytes: (read) => {
        bytes = read
      },
      onFile: (file) => files.push(file),
      onProblem: (problem) => {
        // Nothing can be wrong with a body of which the document says nothing.
        if (accepted === ANY_BODY && problem.status !== 413) return
        onProblem(problem)
        isUnchecked = true
      },
      ...(takesLargeIntegers && {
        onLargeInteger: () => {
          isUnchecked = true
        },
      }),
    })
    const read = { ...input, body, ...aboutBody(files, isUnchecked) }
    return { input: read, notes, ...(bytes && { body: bytes }) }
  } catch (error) {
    return { problem: asProblem(error), notes, ...(bytes && { body: bytes }) }
  }
}

function aboutBody(
  files: readonly SentFile[],
  isUnchecked: boolean,
): Pick<Input, 'files' | 'isUnchecked'> {
  return { ...(files.length > 0 && { files }), ...(isUnchecked && { isUnchecked }) }
}

/** What an operation takes as its body: what the document describes, or any where it describes none and the record is in it. */
function bodyOf({ body, hints }: Operation): RequestBody | undefined {
  return body ?? (hints?.body === undefined ? undefined : ANY_BODY)
}

const ANY_BODY: RequestBody = {
  required: false,
  mediaTypes: ['application/json'],
  schema: {},
  validate: Object.assign(() => true, { errors: null }),
}

const CALL_BODY: RequestBody = {
  ...ANY_BODY,
  mediaTypes: ['application/x-www-form-urlencoded', 'application/json'],
}

const NO_ERRORS = { pathErrors: [], errors: [] }

/** The parameters of a request. Of several ways to split its path among them, the first that their schemas allow is taken. */
function readWithSplit(
  { operation, pathParameters }: Match,
  request: CoreRequest,
  options: ParameterOptions,
): ReadParameters {
  const read = readParameters(operation, pathParameters, request, options)
  if (read.pathErrors.length === 0) return read
  for (const split of otherSplits(operation.path, pathParameters)) {
    const other = readParameters(operation, split, request, options)
    if (other.pathErrors.length === 0) return other
  }
  return read
}

/** No resource has an invalid path. A document that describes a 400 and no 404 refuses it as invalid input. */
function pathProblem(
  operation: Operation,
  request: CoreRequest,
  errors: readonly InputError[],
): Problem {
  const isDocumented = (status: number): boolean =>
    documentedResponse(operation, status) !== undefined
  if (!isDocumented(404) && (isDocumented(400) || isDocumented(422))) {
    const located = errors.map((error) => ({ ...error, location: `path.${error.location}` }))
    return problems.invalidInput(located)
  }
  const message = `No resource was found at ${request.path}: ${describeInputErrors(errors)}.`
  return problems.notFound(message)
}

/** Where a request that is served all the same is not valid. */
function placesOf({ errors, status }: Problem): readonly string[] {
  return status === 415 ? ['header.Content-Type'] : errors.map(({ location }) => location)
}

/**
 * Whether `read.ts` alone reads the input of an operation as documented: each text in the path and query has only one meaning, and a
 * body is JSON. Other operations need the code that pages load later.
 */
export function hasSimpleInput({
  path,
  parameters,
  body,
}: Pick<Operation, 'path' | 'parameters' | 'body'>): boolean {
  const isFound = ({ in: place, name }: Parameter): boolean =>
    place !== 'path' || path.includes(`{${name}}`)

  return isOnlyJson(body) && parameters.every((one) => isSimple(one) && isFound(one))
}

function isOnlyJson({ content = [] }: Pick<RequestBody, 'content'> = {}): boolean {
  return content.length === 0 || (content.length === 1 && isJson(content[0]?.mediaType ?? ''))
}

function isSimple({ in: place, schema, validate, ...more }: Parameter): boolean {
  const { type, format, pattern, default: preset } = schema
  const isText = type === 'string' && format === undefined && pattern === undefined
  const hasType = isText || type === 'integer' || type === 'boolean'
  const hasStyle = STYLES.some((key) => key in more)
  const hasPlace = place === 'path' || place === 'query'

  return hasType && hasPlace && !hasStyle && (preset === undefined || validate(preset))
}

/** The properties of parameters whose texts are not simple. */
const STYLES = ['style', 'explode', 'mediaType', 'allowEmptyValue']
