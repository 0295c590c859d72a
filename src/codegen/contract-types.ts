import type { Contract } from '../contract/contract.ts'
import { bind, type Resource, resourcesOf } from '../resources/bind.ts'
import { membersOf, printObject, printType, toLiteral, toName, union } from './print-type.ts'

/** The text of a module that tells the compiler what a contract's operations and records are. */
export function generateTypes(contract: Contract): string {
  const resources = resourcesOf(bind(contract))
  const operations = contract.operations.map(({ id }) => toLiteral(id))

  return [
    `import type { KeyName, PlanName, ScenarioName } from './fixtures.ts'\n`,
    `/** The names and records of ${contract.title}, for the compiler. Written by the build. */`,
    'export interface Shipped {',
    `  operation: ${union(operations)}`,
    '  plan: PlanName',
    '  key: KeyName',
    '  scenario: ScenarioName',
    '  collections: {',
    ...[...new Set(resources)].map(printCollection),
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Who creates a record may leave its id to the sandbox. */
function printCollection({ name, id, schema }: Resource): string {
  const indent = '      '
  const { properties, required } = membersOf(schema)
  const given = new Set([...required].filter((one) => one !== id))

  return [
    `    ${toName(name)}: {`,
    `${indent}id: ${printType(properties.get(id) ?? {})}`,
    `${indent}record: ${printObject(properties, new Set([...required, id]), indent)}`,
    `${indent}created: ${printObject(properties, given, indent)}`,
    '    }',
  ].join('\n')
}
