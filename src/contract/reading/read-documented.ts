import type { CoreRequest } from '../../http/message.ts'
import {
  asProblem,
  describeInputErrors,
  type InputError,
  type Problem,
  problems,
} from '../../http/problem.ts'
import type { Note } from '../../journal/exchange.ts'
import type { Operation, ValidationTime } from '../contract.ts'
import { documentedResponse } from '../documented-response.ts'
import type { CredentialNames, Reading, ReadOptions } from '../input.ts'
import { MAX_BODY_BYTES } from '../request-body.ts'
import type { Match } from '../router.ts'
import { otherSplits } from './other-splits.ts'
import { readBodyValue } from './read-body.ts'
import { type ReadParameters, readParameters } from './read-parameters.ts'

/**
 * Reads the input of a matched request with all that a document can say about it: styles of parameters, headers, cookies and media
 * types. What most requests to the shipped service need is in `read.ts`, so that pages need not load this.
 */
export async function readDocumented(
  match: Match,
  request: CoreRequest,
  options: ReadOptions,
  time: ValidationTime,
): Promise<Reading> {
  const { operation } = match
  const { maxNotes = Number.POSITIVE_INFINITY, credentials } = options
  const { validation = 'error', unknownProperties = 'drop', bodyLimit = MAX_BODY_BYTES } = options
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
    const { pathErrors, errors, unknownNames, ...input } = readWithSplit(
      match,
      request,
      credentials,
      time,
    )
    if (pathErrors.length > 0) {
      const places = pathErrors.map(({ location }) => `path.${location}`)
      onProblem(pathProblem(operation, request, pathErrors), places)
    }
    if (errors.length > 0) onProblem(problems.invalidInput(errors))
    for (const name of unknownNames) {
      if (!credentials?.namesOf('parameter').includes(name))
        note('unknown-parameter', `query.${name}`)
    }
    if (!operation.body) return { input, notes }
    const body = await readBodyValue(operation, operation.body, request, {
      limit: bodyLimit,
      time,
      useDefaults: operation.method !== 'PATCH',
      ...(unknownProperties === 'drop' && {
        onRemove: (place: string) => note('dropped-property', place),
      }),
      onBytes: (read) => {
        bytes = read
      },
      onProblem,
    })
    return { input: { ...input, body }, notes, ...(bytes && { body: bytes }) }
  } catch (error) {
    return { problem: asProblem(error), notes, ...(bytes && { body: bytes }) }
  }
}

/** The parameters of a request. Of several ways to split its path among them, the first that their schemas allow is taken. */
function readWithSplit(
  { operation, pathParameters }: Match,
  request: CoreRequest,
  credentials: CredentialNames | undefined,
  time: ValidationTime,
): ReadParameters {
  const read = readParameters(operation, pathParameters, request, credentials, time)
  if (read.pathErrors.length === 0) return read
  for (const split of otherSplits(operation.path, pathParameters)) {
    const other = readParameters(operation, split, request, credentials, time)
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
