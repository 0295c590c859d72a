import { afterEach, expect, test, vi } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a scenario is listed with its description, also by the former name of that field', () => {
  const sandbox = createSandbox({ scenarios: { own: { description: 'An own scenario.' } } })

  expect(sandbox.scenarios).toContainEqual({
    name: 'own',
    description: 'An own scenario.',
    rehearses: 'An own scenario.',
  })
})

test('a scenario with "rehearses" is played, and a warning names it once', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const scenarios = { old: { rehearses: 'An old scenario.', records: 2 } }

  const [sandbox] = [createSandbox({ scenarios }), createSandbox({ scenarios })]
  await sandbox.play('old')

  expect(await sandbox.collection('pets').count()).toBe(2)
  expect(sandbox.scenarios).toContainEqual({
    name: 'old',
    description: 'An old scenario.',
    rehearses: 'An old scenario.',
  })
  expect(warn.mock.calls).toEqual([
    [
      'The scenario "old" has "rehearses", which is deprecated. Rename it to "description".',
      'DeprecationWarning',
    ],
  ])
})
