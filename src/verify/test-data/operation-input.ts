import type { Operation, Parameter } from '../../contract/contract.ts'
import { type BodyInput, bodyInput } from '../../sandbox/sample-request/body-input.ts'
import {
  headerText,
  pathText,
  queryPairs,
  type TextPair,
  wholeQuery,
} from '../../sandbox/sample-request/serialize-parameter.ts'
import { validValue } from '../../sandbox/sample-request/valid-value.ts'

/** Valid values for everything that an operation requires, in the form in which requests have them. */
export interface OperationInput {
  /** The texts of the path parameters by name, percent-encoded. */
  readonly path: ReadonlyMap<string, string>
  /** The pairs of each required parameter, percent-encoded. */
  readonly query: ReadonlyMap<string, readonly TextPair[]>
  readonly headers: ReadonlyMap<string, string>
  readonly cookies: ReadonlyMap<string, string>
  readonly body?: BodyInput
  /** What the operation requires, and no valid value was found for. */
  readonly missing?: string
}

/** Headers that OpenAPI does not let documents declare as parameters, and those that only the HTTP client can know. */
const RESERVED_HEADERS =
  /^(accept|authorization|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** The methods whose requests cannot have a body with `fetch`. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The parameters that a request must have. */
export function requiredParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter(
    ({ name, in: location, required }) =>
      (required || location === 'path') &&
      !(location === 'header' && RESERVED_HEADERS.test(name.toLowerCase())),
  )
}

/** Finds the input of operations when it is first needed. */
export class OperationInputs {
  readonly #known = new Map<Operation, Promise<OperationInput>>()

  of(operation: Operation): Promise<OperationInput> {
    const found = this.#known.get(operation) ?? findInput(operation)
    this.#known.set(operation, found)
    return found
  }
}

async function findInput(operation: Operation): Promise<OperationInput> {
  const values = new Map<Parameter, unknown>()
  for (const parameter of requiredParameters(operation)) {
    values.set(parameter, await parameterValue(parameter))
  }
  const body = await findBody(operation)
  const [absent] = [...values].find(([, value]) => value === undefined) ?? []
  const missing = absent ? `the ${absent.in} parameter ${absent.name}` : body
  const textsOf = <Text>(
    location: Parameter['in'],
    write: (parameter: Parameter, value: unknown) => Text,
  ): ReadonlyMap<string, Text> => {
    const found = [...values].filter(([one, value]) => one.in === location && value !== undefined)
    return new Map(found.map(([one, value]) => [one.name, write(one, value)]))
  }
  return {
    path: textsOf('path', pathText),
    query: new Map([...textsOf('query', queryPairs), ...textsOf('querystring', wholeQuery)]),
    headers: textsOf('header', headerText),
    cookies: textsOf('cookie', headerText),
    ...(typeof body === 'object' && { body }),
    ...(typeof missing === 'string' && { missing }),
  }
}

async function parameterValue(parameter: Parameter): Promise<unknown> {
  const { name, in: location, schema, validate, example } = parameter
  const examples = example === undefined ? [] : [example]
  const source = { place: name, schema, validate, examples }
  const value = await validValue(source, (one) => isSendable(parameter, one))
  // A path in a parameter has slashes.
  if (value !== undefined || location !== 'path') return value
  return await validValue(source, (one) => !/^\.{0,2}$/.test(pathText(parameter, one)))
}

/** Whether a value has a text that servers read as the same value: no empty text, and no `/` that a proxy could decode. */
function isSendable(parameter: Parameter, value: unknown): boolean {
  if (value === null || value === '') return false
  if (parameter.in === 'querystring') return wholeQuery(parameter, value).length > 0
  if (parameter.in === 'query') return queryPairs(parameter, value).some(([, text]) => text !== '')
  if (parameter.in === 'path') return !/^\.{0,2}$|%2F|%5C/i.test(pathText(parameter, value))
  // Other characters are not allowed in a header (RFC 9110, section 5.5).
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(headerText(parameter, value))
}

/** The body of the first media type for which there is one; a text says why a required body was not found. */
async function findBody(operation: Operation): Promise<BodyInput | string | undefined> {
  const { method, body } = operation
  if (!body || body.mediaTypes.length === 0) return undefined
  if (WITHOUT_BODY.has(method)) return body.required ? `a body of ${method}` : undefined
  if (method === 'DELETE' && !body.required) return undefined
  const found = await bodyInput(body)

  return found ?? (body.required ? `a body of ${body.mediaTypes[0]}` : undefined)
}
