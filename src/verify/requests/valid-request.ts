import type { Operation } from '../../contract/contract.ts'
import { encodeLiteral, parseTemplate } from '../../contract/path-pattern.ts'
import type { TextPair } from '../../sandbox/sample-request/serialize-parameter.ts'
import { CHANGES, type OperationInput, type OperationInputs } from '../test-data/operation-input.ts'
import type { KnownIds } from './known-ids.ts'
import { type Credentials, NotSent, type ProbeRequest } from './probe-messages.ts'

/** What requests are built from. */
interface RequestSources {
  readonly inputs: OperationInputs
  readonly ids: KnownIds
}

/** The methods that `fetch` forbids. */
const NEVER_SENT: ReadonlySet<string> = new Set(['CONNECT', 'TRACE'])

/**
 * A valid request for an operation, with the ids of records that earlier responses contained. A request that changes or removes
 * a record names one that this run created, else one that should not exist. Throws {@link NotSent} when no valid value was found
 * for something that the operation requires.
 */
export async function validRequest(
  operation: Operation,
  { inputs, ids }: RequestSources,
  credentials: Credentials = 'key',
): Promise<ProbeRequest> {
  if (NEVER_SENT.has(operation.method))
    throw new NotSent(`programs cannot send ${operation.method} with fetch`)
  const input = await inputs.of(operation)
  if (input.missing !== undefined) {
    throw new NotSent(`no valid value could be generated for ${input.missing}`)
  }
  return {
    operation,
    method: operation.method,
    target: pathOf(operation, input, ids, credentials) + queryText(operation, input),
    credentials,
    headers: [...input.headers],
    cookies: [...input.cookies],
    ...(input.body && { body: input.body.text, type: input.body.type }),
    isComplete: true,
  }
}

/** Adds the required query parameters, headers and cookies that a request lacks. */
export async function completeRequest(
  request: ProbeRequest,
  inputs: OperationInputs,
): Promise<ProbeRequest> {
  const { operation, isComplete, target, headers = [], cookies = [] } = request
  if (isComplete || !operation) return request
  const isPlain = operation.parameters.every(({ in: location, required }) =>
    location === 'path' ? true : !required,
  )
  if (isPlain && !operation.conditions) return request
  const input = await inputs.of(operation)
  const given = new URL(target, 'http://server').searchParams
  const absent = operation.parameters.find(
    ({ in: place, name, required }) =>
      place === 'query' && required && !given.has(name) && !input.query.has(name),
  )
  if (absent) throw new NotSent(`no valid value could be generated for ${absent.name}`)
  const query = queryText(operation, input, (name) => !given.has(name))

  return {
    ...request,
    target: target.includes('?') ? target + query.replace('?', '&') : target + query,
    headers: [...headers, ...input.headers],
    cookies: [...cookies, ...input.cookies],
    isComplete: true,
  }
}

/** The query of a valid request, with the parameters that are selected. Query conditions of the operation come first. */
function queryText(
  { conditions = [] }: Operation,
  { path, query }: OperationInput,
  isSelected: (name: string) => boolean = () => true,
): string {
  const names = new Set(conditions.map(({ name }) => name))
  const pairs = [
    ...conditions
      .filter(({ name }) => isSelected(name))
      .flatMap(({ name, value }): readonly TextPair[] => {
        const key = encodeURIComponent(name)
        if (value !== undefined) return [[key, encodeURIComponent(value)]]
        // The value is that of a parameter, which some documents declare as one of the path.
        return query.get(name) ?? [[key, path.get(name) ?? '1']]
      }),
    ...[...query]
      .filter(([name]) => isSelected(name) && !names.has(name))
      .flatMap(([, values]) => values),
  ]
  return pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`
}

/** The path with the values of its parameters. */
function pathOf(
  { path, method, parameters }: Operation,
  input: OperationInput,
  ids: KnownIds,
  credentials: Credentials,
): string {
  const { literals, names } = parseTemplate(path)
  const [first = '', ...others] = literals.map(encodeLiteral)

  return names.reduce((start, name, at) => {
    const end = others[at] ?? ''
    const isSegment = start.endsWith('/') && (end === '' || end.startsWith('/'))
    const onlyCreated = CHANGES.has(method) && at === names.length - 1
    // A server that accepts other credentials would remove the record that later requests need.
    const isKept = onlyCreated && credentials !== 'key'
    const id =
      isSegment && !isKept ? ids.find(start.slice(0, -1), name, { onlyCreated }) : undefined
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    const isValid = id !== undefined && (parameter?.validate(id) ?? true)

    return start + (isValid ? encodeURIComponent(id) : (input.path.get(name) ?? '1')) + end
  }, first)
}
