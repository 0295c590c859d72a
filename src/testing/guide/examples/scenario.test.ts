import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadScenarios } from 'pet-sandbox/load'
import { expect, test } from 'vitest'

test('a scenario sets the records, the clock and the plans', async () => {
  const scenarios = await loadScenarios(join(import.meta.dirname, 'scenarios'))
  const sandbox = createSandbox({ scenarios, scenario: 'end-of-month' })
  await sandbox.ready

  expect(await sandbox.collection('pets').count()).toBe(1)
  expect(sandbox.clock.isFrozen).toBe(true)

  await sandbox.play('empty-store')
  expect(await sandbox.collection('pets').count()).toBe(0)
})
