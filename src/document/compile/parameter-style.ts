import type { Parameter } from '../../contract/contract.ts'
import type { ParameterStyle, PropertyEncoding } from '../../contract/serialization.ts'
import { asObject, asString, type JsonObject } from '../json-value.ts'

/** The styles of each location (OpenAPI, "Style Values"). The first one is the default. */
const STYLES: Readonly<Record<Parameter['in'], readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  querystring: ['form'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}

/** How a parameter is written, without what is the default of its location. */
export function readStyle(
  parameter: JsonObject,
  location: Parameter['in'],
): Pick<Parameter, 'style' | 'explode' | 'mediaType'> {
  const [mediaType] = Object.keys(asObject(parameter.content))
  if (mediaType !== undefined && parameter.schema === undefined) return { mediaType }

  return styleOf(parameter, STYLES[location])
}

/** How a property of a form is written. */
export function readEncoding(encoding: JsonObject): PropertyEncoding {
  const contentType = asString(encoding.contentType)
  return {
    ...(contentType !== undefined && { contentType }),
    ...styleOf(encoding, STYLES.query),
  }
}

function styleOf(
  { style, explode }: JsonObject,
  styles: readonly ParameterStyle[],
): { readonly style?: ParameterStyle; readonly explode?: boolean } {
  const given = styles.find((one) => one === style)
  return {
    ...(given !== undefined && given !== styles[0] && { style: given }),
    ...(typeof explode === 'boolean' && { explode }),
  }
}
