import type { Parameter, RequestBody, Schema } from '../../contract/contract.ts'
import { parseText } from '../../contract/parse-text.ts'
import { withBranches } from '../../contract/schema-properties.ts'

/** Makes a value for a schema; `undefined` when it cannot. */
export type Sampler = (schema: Schema) => unknown

/** The texts of a valid value for a parameter: of a list, one for each item. `undefined` when no valid value is found. */
export async function parameterTexts(
  parameter: Parameter,
  sampler: () => Promise<Sampler>,
): Promise<readonly string[] | undefined> {
  const { schema, example } = parameter
  for (const value of [example, schema.default, schema.const, ...(schema.enum ?? [])]) {
    const texts = validTexts(parameter, value)
    if (texts) return texts
  }
  return validTexts(parameter, (await sampler())(schema))
}

/** The texts of a value, if the parameter accepts them. */
function validTexts(
  { schema, validate }: Parameter,
  value: unknown,
): readonly string[] | undefined {
  const list = withBranches(schema).find(({ type }) => [type].flat().includes('array'))
  const items = list && !Array.isArray(value) ? [value] : [value].flat()
  if (items.some((item) => item === null || item === undefined || typeof item === 'object'))
    return undefined
  const texts = items.map(String)
  if (texts.length === 0 || texts.includes('')) return undefined
  const parsed = texts.map((text) => parseText(text, list?.items ?? schema))

  return validate(list ? parsed : parsed[0]) ? texts : undefined
}

/** The text of a valid body; `undefined` when none is found. */
export async function bodyText(
  { example, schema, validate }: RequestBody,
  sampler: () => Promise<Sampler>,
): Promise<string | undefined> {
  if (example !== undefined && validate(example)) return JSON.stringify(example)
  const value = (await sampler())(schema)

  return value !== undefined && validate(value) ? JSON.stringify(value) : undefined
}
