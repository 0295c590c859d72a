import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import { loadContract } from '../document/load-contract.ts'
import { contract as generated } from '../generated/contract.ts'
import { generateContract, withServedParts } from './contract-module.ts'

const live = withServedParts(await loadContract('openapi.yaml'))

/** The result of each check of a contract for some values, with the descriptions of the errors. */
function resultsOf({ operations }: Contract): unknown[] {
  const values = [
    {},
    [],
    [{ id: 'x' }],
    { name: '', categoryId: 1.5, status: 'gone' },
    0,
    5,
    101,
    '',
    'sold',
    null,
  ]
  const checks = operations.flatMap(({ parameters, body, responses }) =>
    [...parameters, ...(body ? [body] : []), ...responses].flatMap(
      ({ validate }) => validate ?? [],
    ),
  )

  return checks.flatMap((validate) =>
    values.map((value) => [validate(value), describeErrors('body', validate.errors ?? [])]),
  )
}

describe('the generated contract', () => {
  test('equals the loaded document without examples of what clients send', () => {
    expect(JSON.stringify(generated)).toBe(JSON.stringify(live))
  })

  test('validates values like the loaded contract', () => {
    expect(resultsOf(generated)).toEqual(resultsOf(live))
  })

  test('runs where code generation from strings is disabled', () => {
    const script = `import('./src/generated/checks.js').then(({ check0 }) => console.log(check0(5), check0(101)))`

    const output = execFileSync(process.execPath, [
      '--disallow-code-generation-from-strings',
      '-e',
      script,
    ])

    expect(String(output)).toBe('true false\n')
  })
})

describe('the generated modules', () => {
  test('have one check for equal schemas', async () => {
    const { checksTypes } = generateContract(await loadContract('src/testing/library.yaml'))

    expect(checksTypes.match(/export declare const/g)).toHaveLength(10)
  })
})
