// Valid values for the parameters and bodies of requests. None of it is code of the sandbox.
import { resolved } from '../openapi/references.mjs'
import { importInstalled } from '../packages.mjs'

const sampler = await importInstalled('openapi-sampler')
const { generateSync } = await importInstalled('json-schema-faker')

/** The same schema gives the same value. */
const GENERATION = { seed: 42, minItems: 1, maxItems: 2, optionalsProbability: 0, maxDepth: 8 }

/**
 * A value that is valid by the schema: `{ value, isDocumented }`, or `undefined` when none was found. Documented values come first:
 * examples, defaults, enumerations. `accepts` says which values can be sent.
 */
export function sampleValue(document, validator, { schema, examples = [] }, accepts = () => true) {
  const isUsable = (value) =>
    value !== undefined && accepts(value) && validator.isValid(schema, value)

  const documented = [...examples, ...documentedValues(document, schema)].find(isUsable)
  if (documented !== undefined) return { value: documented, isDocumented: true }
  for (const make of generators(document, validator, schema)) {
    const value = attempt(make)
    if (isUsable(value)) return { value, isDocumented: false }
  }
  return undefined
}

function documentedValues(document, schema) {
  const { example, examples, default: standard, enum: values } = resolved(document, schema) ?? {}
  return [
    example,
    ...(Array.isArray(examples) ? examples : []),
    standard ?? undefined,
    ...(Array.isArray(values) ? values.filter((one) => one !== null) : []),
  ]
}

function generators(document, validator, schema) {
  if (schema === undefined) return [() => 'x']
  const options = { skipReadOnly: true, quiet: true }
  return [
    () => sampler.sample(schema, options, document),
    () => sampler.sample(schema, { ...options, skipNonRequired: true }, document),
    () => generateSync(validator.bundle(schema), GENERATION),
  ]
}

function attempt(make) {
  try {
    return make()
  } catch {
    return undefined
  }
}
