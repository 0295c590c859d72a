import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '../client.ts'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { strict, toHandlers } from '../msw.ts'
import { runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { verify } from '../verify/verify.ts'

/** It has other security schemes, media types, parameters, paths and servers than the shipped document, and no operation ids. */
const DOCUMENT = resolve('src/testing/parcels.yaml')
const PARCEL = 'GET /depots/{depot_id}/parcels/{number}'
/** `verify` changes only records that it created, and no operation of the document creates parcels. */
const UNCREATED = ['PUT', 'DELETE'].map((method) => ({
  operation: `${method} /depots/{depot_id}/parcels/{number}`,
  reason:
    'it changes /depots/{depot_id}/parcels/{number}, which no operation creates and --setup does not prepare',
}))
const USER = { Authorization: `Basic ${btoa('ann:secret')}` }

const folder = useTemporaryDirectory()

afterEach(stopCommands)

describe('a document with other security, media types and paths', () => {
  test('is explained, operation by operation', async () => {
    const { code, stdout } = await runCommand(['explain', DOCUMENT, '--json'])

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ operation: PARCEL, method: 'GET', behaviour: 'read' }),
    )
  })

  test('is served, controlled, verified and reported on by the commands and the client', async () => {
    const { base } = await startCommand(['serve', DOCUMENT])
    const { origin } = new URL(base)
    const at = (...words: string[]): string[] => ['ctl', '--url', origin, ...words]
    const client = createClient(origin)

    const forced = await runCommand(at('force', 'not-found', '--operation', PARCEL, '--times', '1'))
    const parcel = `${origin}/beta/depots/dp_north1/parcels/7`
    const refused = await fetch(parcel, { headers: { ...USER, 'X-Locale': 'de' } })
    const journal = await runCommand(at('journal', '--json'))
    const verified = await runCommand(['verify', base, DOCUMENT, '--allow-writes', '--json'], {
      env: { PET_SANDBOX_KEY: 'ann:secret' },
    })
    const har = join(folder(), 'journal.har')
    await runCommand(at('har', har))
    const report = await runCommand(['report', har, '--openapi', DOCUMENT, '--json', '-'])

    expect(forced).toMatchObject({ code: 0 })
    expect(refused.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await refused.json()).toMatchObject({ status: 404, title: 'Not Found' })
    expect(journal.stdout).toContain(PARCEL)
    expect(JSON.parse(verified.stdout)).toMatchObject({
      totals: { failed: 0 },
      operations: { total: 8, exercised: 6, others: UNCREATED },
    })
    expect(await client.health()).toMatchObject({ title: expect.stringContaining('Parcel') })
    const { coverage } = JSON.parse(report.stdout)
    const covered = coverage.operations.find(
      (one: { operation: string }) => one.operation === PARCEL,
    )
    expect(covered.statuses).toContainEqual({ name: 'default', count: expect.any(Number) })
    expect(covered.errors).toContainEqual({ name: '401 without a key', count: 1 })
  })

  test('is answered by MSW below the path of each server, with forms and binary bodies', async () => {
    const contract = await loadContract(DOCUMENT)
    const server = setupServer(...toHandlers(createSandbox({ contract })))
    server.listen(strict)
    const picture = new FormData()
    picture.set('title', 'Box')
    picture.set('picture', new Blob([Uint8Array.of(0, 255, 13, 10)]))

    const responses = await Promise.all([
      fetch('https://parcels.example/api/v2/status'),
      fetch('https://parcels.example/beta/status'),
      fetch('https://parcels.example/api/v2/depots', {
        method: 'POST',
        headers: USER,
        body: new URLSearchParams({ city: 'Oslo', capacity: '4' }),
      }),
      fetch('https://parcels.example/beta/depots/dp_north1/label', {
        method: 'POST',
        headers: USER,
        body: picture,
      }),
      fetch('https://parcels.example/beta/depots/dp_north1/label?api_key=k'),
    ]).finally(() => server.close())

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200])
    expect(responses[4]?.headers.get('Content-Type')).toBe('application/pdf')
    expect(await responses[4]?.text()).toMatch(/^%PDF/)
  })

  test('is answered by its compiled module as by the document itself', async () => {
    const loaded = await loadContract(DOCUMENT)
    const { code } = await runCommand(['compile', DOCUMENT], { cwd: folder() })
    // The test runner imports files outside of the project as CommonJS, unless their names say otherwise.
    const module = join(folder(), 'contract.mjs')
    await writeFile(module, await readFile(join(folder(), 'contract.js')))
    const { contract }: { contract: Contract } = await import(pathToFileURL(module).href)
    const [one, other] = [loaded, contract].map(frozen)
    const different: unknown[] = []

    const { operations, totals } = await verify(`http://sandbox.test${loaded.basePath}`, loaded, {
      key: 'ann:secret',
      writes: true,
      fetch: async (request) => {
        const copy = request.clone()
        const response = await one?.fetch(request)
        const repeated = await other?.fetch(copy)
        const texts = [await contentOf(response), await contentOf(repeated)]
        if (texts[0] !== texts[1]) different.push([`${copy.method} ${copy.url}`, ...texts])
        return response ?? Response.error()
      },
    })

    expect(code).toBe(0)
    expect(operations).toMatchObject({ exercised: 6, others: UNCREATED })
    expect(totals.failed).toBe(0)
    expect(different).toEqual([])
  })
})

function frozen(contract: Contract): Sandbox {
  const sandbox = createSandbox({ contract })
  sandbox.clock.freeze()
  sandbox.clock.set('2027-03-01T12:00:00Z')
  return sandbox
}

/** Status, headers and body, for a comparison. */
async function contentOf(response: Response | undefined): Promise<string> {
  const copy = response?.clone()
  return JSON.stringify([copy?.status, [...(copy?.headers ?? [])], await copy?.text()])
}
