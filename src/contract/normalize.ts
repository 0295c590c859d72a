import { isObject, setOwn } from '../validation/objects.ts'
import type { Schema } from './contract.ts'
import { InexactNumber } from './json.ts'
import { schemaPropertiesOf } from './schema.ts'

/** How {@link normalize} changes a value. */
export interface NormalizeOptions {
  /** Whether missing properties get their `default`. */
  readonly useDefaults: boolean
  /** Whether the default of the property at a location is used; default: each is. */
  readonly useDefault?: (location: string) => boolean
  /** Called with the location of each removed property. Without it, unknown properties stay. */
  readonly onRemove?: (location: string) => void
  /** Called when the value contains an integer that JavaScript does not hold exactly. Without it, such a value is not valid. */
  readonly onLargeInteger?: () => void
}

/** A copy of a value without the properties that its schema does not know, and with defaults if the options say so. */
export function normalize(
  schema: Schema,
  value: unknown,
  location: string,
  options: NormalizeOptions,
): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return value
    return value.map((item, index) => normalize(items, item, `${location}[${index}]`, options))
  }
  if (!isObject(value) || value instanceof InexactNumber) return value

  const { useDefaults, onRemove } = options
  const { properties, defaults, isOpen } = schemaPropertiesOf(schema)
  const normalized: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const inner = value[name]
    const known = properties.get(name)
    if (known) setOwn(normalized, name, normalize(known, inner, `${location}.${name}`, options))
    else if (isOpen || !onRemove) setOwn(normalized, name, inner)
    else onRemove(`${location}.${name}`)
  }
  if (useDefaults) addDefaults(normalized, defaults, location, options)
  return normalized
}

/** Adds copies of the defaults of missing properties. */
function addDefaults(
  object: Record<string, unknown>,
  defaults: ReturnType<typeof schemaPropertiesOf>['defaults'],
  location: string,
  { useDefault }: NormalizeOptions,
): void {
  for (const [name, preset] of defaults) {
    const isMissing = !Object.hasOwn(object, name)
    if (isMissing && useDefault?.(`${location}.${name}`) !== false)
      setOwn(object, name, typeof preset === 'object' ? structuredClone(preset) : preset)
  }
}
