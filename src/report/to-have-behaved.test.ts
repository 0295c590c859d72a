import { describe, expect, it } from 'vitest'
import { createClient } from '../client/client.ts'
import { createFrozenSandbox, createMisusedSandbox, sendRequest } from '../testing/report-inputs.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'
import { matchers } from './to-have-behaved.ts'

expect.extend(matchers)

const NOTHING_ASKED =
  'Cannot report how the client behaved: no request was recorded. Check that the client sends its requests to this sandbox or world, that the test waits for them, and that no reset comes after them.'

describe('toHaveBehaved', () => {
  it('passes for a sandbox or world whose client behaved', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox.world('cart'), '/pets')

    expect(sandbox).toHaveBehaved()
    expect(sandbox.world('cart')).toHaveBehaved()
  })

  it('fails for a client that did not behave, and shows the findings', async () => {
    const sandbox = await createMisusedSandbox()

    expect(sandbox).not.toHaveBehaved()
    expect(() => expect(sandbox).toHaveBehaved()).toThrow(
      /but it did not\.\n\n[\s\S]*early-retry {2}listPets, key …free\n[\s\S]*RFC 9110, section 10\.2\.3/,
    )
  })

  it('does not fail because of notes and ignored rules', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets/1')

    expect(sandbox).not.toHaveBehaved()
    expect(sandbox).toHaveBehaved({ ignore: ['deprecated'] })
    expect(sandbox).not.toHaveBehaved({ ignore: ['deprecated'], minCoverage: 50 })
  })

  it('fails with .not for a client that behaved', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')

    expect(() => expect(sandbox).not.toHaveBehaved()).toThrow(
      /but 1 request had no errors or warnings\./,
    )
  })

  it('throws for a sandbox or world without requests, with .not, too', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox.world('preflight'), '/pets', { method: 'OPTIONS' })

    for (const one of [createFrozenSandbox(), sandbox.world('other'), sandbox.world('preflight')]) {
      expect(() => expect(one).toHaveBehaved()).toThrow(NOTHING_ASKED)
      expect(() => expect(one).not.toHaveBehaved()).toThrow(NOTHING_ASKED)
    }
  })

  it('throws when the journal is switched off', async () => {
    const sandbox = createFrozenSandbox({ journal: 0 })
    await sendRequest(sandbox, '/pets')

    expect(() => expect(sandbox).toHaveBehaved()).toThrow(
      'The journal is switched off (journal: 0).',
    )
  })

  it('throws for other values and unknown options', () => {
    expect(() => expect({}).toHaveBehaved()).toThrow(
      /the value given to expect\(\) is not a sandbox/,
    )
    expect(() => expect(createFrozenSandbox()).toHaveBehaved(Object({ ignored: [] }))).toThrow(
      /Did you mean "ignore"/,
    )
  })

  it('checks a sandbox in another process, and its worlds, when it is awaited', async () => {
    const { sandbox, origin } = await serveSandbox()
    const client = createClient(origin)
    const world = await client.world('cart')
    await sendRequest(sandbox, '/pets/1')

    await expect(expect(world).toHaveBehaved()).rejects.toThrow(NOTHING_ASKED)
    await expect(expect(world).not.toHaveBehaved()).rejects.toThrow(NOTHING_ASKED)
    await sendRequest(sandbox.world('cart'), '/pets')
    await expect(world).toHaveBehaved()
    await expect(client).not.toHaveBehaved()
    await expect(client).toHaveBehaved({ ignore: ['deprecated'] })
    const failing = expect(client).toHaveBehaved({ only: ['deprecated'] })
    await expect(failing).rejects.toThrow(/but it did not\.\n\n[\s\S]*deprecated {2}getPet/)
    await stopServers()
  })

  it('ignores requests before the last reset', async () => {
    const sandbox = await createMisusedSandbox()

    sandbox.reset()
    await sendRequest(sandbox, '/pets')

    expect(sandbox).toHaveBehaved()
  })
})
