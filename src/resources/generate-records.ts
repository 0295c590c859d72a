import { propertiesOf } from '../contract/schema-properties.ts'
import { type Faker, generateObject, UngenerableValueError } from '../generate/generate-value.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Resource } from './bind.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { StoredRecord } from './record-index.ts'

/** Modules of faker that need no words of a locale. A document that uses no others brings its own word lists. */
const WORDLESS: ReadonlySet<string> = new Set(['helpers', 'number', 'string', 'datatype', 'date'])

/** Dates are relative to this day rather than to that of the run, so that they repeat. */
const REFERENCE_DAY = '2026-01-01T00:00:00Z'

/**
 * Makes rows for each resource, the same ones for the same seed on every machine. Fewer rows are the first of more. Ids are
 * left to the store.
 */
export async function generateRecords(
  resources: readonly Resource[],
  count: number,
  seed: number,
): Promise<ReadonlyMap<string, readonly StoredRecord[]>> {
  const faker = await createFaker(resources)
  const rows = new Map<string, readonly StoredRecord[]>()
  for (const resource of resources) {
    faker.seed([seed, ...Array.from(resource.name, (letter) => letter.charCodeAt(0))])
    rows.set(
      resource.name,
      Array.from({ length: count }, () => generateRecord(resource, faker)),
    )
  }
  return rows
}

/** A faker of our own: a user's tests may use the library's shared one, with a seed of theirs. */
async function createFaker(resources: readonly Resource[]): Promise<Faker> {
  const hints = JSON.stringify(resources.map(({ schema }) => schema))
  const modules = [...hints.matchAll(/"x-faker":\{?"(\w+)\./g)].map(([, module = '']) => module)
  const { faker: shared } = modules.every((module) => WORDLESS.has(module))
    ? await import('@faker-js/faker/locale/base')
    : await import('@faker-js/faker/locale/en')
  // The class is exported by the main entry alone, which takes 150 to 700 ms to load.
  const Own = shared.constructor as new (options: { locale: Faker['rawDefinitions'] }) => Faker
  const faker = new Own({ locale: shared.rawDefinitions })
  faker.setDefaultRefDate(REFERENCE_DAY)

  return faker
}

function generateRecord(resource: Resource, faker: Faker): StoredRecord {
  const properties = [...propertiesOf(resource.schema)].filter(([name]) => name !== resource.id)
  try {
    return generateObject(resource.name, properties, faker)
  } catch (error) {
    throw error instanceof UngenerableValueError ? ungenerable(resource, error) : error
  }
}

function ungenerable({ name, path }: Resource, refused: UngenerableValueError): UsageError {
  const { property, isHinted, message } = refused
  const task = `generate ${[name, ...property].join('.')}`
  const cause = new InvalidRecordError([], { path, property }, refused)
  if (isHinted) {
    const reason = `its x-faker hint fails (${message})`
    const help = 'Name a method of @faker-js/faker, as number.int.'
    return new UsageError({ code: 'invalid_hint', task, reason, help, cause })
  }
  const reason = `no value matches its schema (${message})`
  const help = 'Correct the schema, or give it an x-faker hint.'

  return new UsageError({ code: 'invalid_seed', task, reason, help, cause })
}
