import { propertiesOf } from '../contract/schema-properties.ts'
import { createFaker, type Faker } from '../generate/create-faker.ts'
import { generateObject, UngenerableValueError } from '../generate/generate-value.ts'
import { UsageError } from '../validation/usage-error.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { StoredRecord } from './record-index.ts'
import type { Resource } from './resource.ts'

/**
 * Generates records for each resource: the same ones for the same seed on every machine. Fewer records are the first ones of
 * more. The store adds the ids.
 */
export async function generateRecords(
  resources: readonly Resource[],
  count: number,
  seed: number,
): Promise<ReadonlyMap<string, readonly StoredRecord[]>> {
  const faker = await createFaker(resources.map(({ schema }) => schema))
  const generated = new Map<string, readonly StoredRecord[]>()
  for (const resource of resources) {
    faker.seed([seed, ...Array.from(resource.name, (letter) => letter.charCodeAt(0))])
    generated.set(
      resource.name,
      Array.from({ length: count }, () => generateRecord(resource, faker)),
    )
  }
  return generated
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
