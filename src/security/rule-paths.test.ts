import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadScenarios } from '../cli/load-scenarios.ts'
import { createSandbox, type ShippedSandbox } from '../sandbox/sandbox.ts'
import { openControl } from '../testing/control.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

/** A path that would take exponential time in a backtracking regular expression. */
const PATH = `/pets/${'*a'.repeat(20)}*b`

const RULE = { outcome: 'unavailable', path: PATH } as const

const directory = useTemporaryDirectory()

/** Requests a path that almost matches and a path that matches, and returns both statuses. */
async function statusesOf(sandbox: ShippedSandbox): Promise<number[]> {
  const paths = [`${'a'.repeat(4000)}c`, `${'a'.repeat(4000)}b`]
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const responses = paths.map((path) =>
    sandbox.fetch(new Request(`http://localhost/v1/pets/${path}`, { headers })),
  )
  return (await Promise.all(responses)).map(({ status }) => status)
}

describe("a rule's path is matched in linear time", () => {
  test('when sandbox.force adds it', async () => {
    const sandbox = createSandbox()
    sandbox.force(RULE.outcome, { path: RULE.path })

    expect(await statusesOf(sandbox)).toEqual([404, 503])
  })

  test('when the control interface adds it', async () => {
    const sandbox = createSandbox()
    const { callControl } = openControl({}, sandbox)

    const forced = await callControl('POST', '/outcomes', { body: RULE })

    expect(forced.status).toBe(201)
    expect(await statusesOf(sandbox)).toEqual([404, 503])
  })

  test('when a scenario file contains it', async () => {
    await writeFile(
      join(directory(), 'slow.yaml'),
      `description: a path with many stars\nrules: [${JSON.stringify(RULE)}]\n`,
    )

    const sandbox = createSandbox({ scenarios: await loadScenarios(directory()), scenario: 'slow' })

    expect(await statusesOf(sandbox)).toEqual([404, 503])
  })

  test('when a restored snapshot contains it', async () => {
    const source = createSandbox()
    source.force(RULE.outcome, { path: RULE.path })
    const sandbox = createSandbox()

    await sandbox.restore(await source.snapshot())

    expect(await statusesOf(sandbox)).toEqual([404, 503])
  })
})

describe("a rule's path of more than 2000 characters is refused", () => {
  const path = `/${'a'.repeat(2000)}`

  test('by sandbox.force', () => {
    expect(() => createSandbox().force('slow', { path })).toThrow(
      'path must be a path of at most 2000 characters',
    )
  })

  test('by the control interface', async () => {
    const { callControl } = openControl({}, createSandbox())

    const refused = await callControl('POST', '/outcomes', { body: { ...RULE, path } })

    expect(refused.status).toBe(400)
  })

  test('in a snapshot', async () => {
    const sandbox = createSandbox()
    sandbox.force('slow', { path: '/pets' })
    const text = JSON.stringify(await sandbox.snapshot()).replace('"/pets"', JSON.stringify(path))

    await expect(sandbox.restore(JSON.parse(text))).rejects.toThrow(
      'path must be a path of at most 2000 characters',
    )
  })
})
