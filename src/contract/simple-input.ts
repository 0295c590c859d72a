import type { Operation, Parameter, RequestBody } from './contract.ts'
import { isJson } from './is-json.ts'

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
