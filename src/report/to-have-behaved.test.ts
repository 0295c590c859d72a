import { describe, expect, it } from 'vitest'
import { createClient } from '../client/client.ts'
import { createFrozenSandbox, createMisusedSandbox, sendRequest } from '../testing/report-inputs.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'
import { matchers } from './to-have-behaved.ts'

expect.extend(matchers)

const NOTHING_ASKED =
  'Cannot report how the client behaved: no request was recorded. Check that the client sends its requests to this sandbox or world, that the test waits for them, and that no reset comes after them.'

describe('toHaveBehaved', () => {
  it('passes for a client that behaved, and for a world', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox.world('cart'), '/pets')

    expect(sandbox).toHaveBehaved()
    expect(sandbox.world('cart')).toHaveBehaved()
  })

  it('fails for one that did not, and tells what it did', async () => {
    const sandbox = await createMisusedSandbox()

    expect(sandbox).not.toHaveBehaved()
    expect(() => expect(sandbox).toHaveBehaved()).toThrow(
      /it did not\.\n\n[\s\S]*early-retry {2}listPets, key …free\n[\s\S]*RFC 9110, section 10\.2\.3/,
    )
  })

  it('leaves notes alone, and what it is told to ignore', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets/1')

    expect(sandbox).not.toHaveBehaved()
    expect(sandbox).toHaveBehaved({ ignore: ['deprecated'] })
    expect(sandbox).not.toHaveBehaved({ ignore: ['deprecated'], minCoverage: 50 })
  })

  it('says when nothing was found where something was expected', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')

    expect(() => expect(sandbox).not.toHaveBehaved()).toThrow(/nothing was found in 1 request\./)
  })

  it('fails, with `.not`, too, for a sandbox or a world that nobody asked', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox.world('preflight'), '/pets', { method: 'OPTIONS' })

    for (const one of [createFrozenSandbox(), sandbox.world('other'), sandbox.world('preflight')]) {
      expect(() => expect(one).toHaveBehaved()).toThrow(NOTHING_ASKED)
      expect(() => expect(one).not.toHaveBehaved()).toThrow(NOTHING_ASKED)
    }
  })

  it('says so when the journal keeps nothing to judge by', async () => {
    const sandbox = createFrozenSandbox({ journal: 0 })
    await sendRequest(sandbox, '/pets')

    expect(() => expect(sandbox).toHaveBehaved()).toThrow(
      'The journal is switched off (journal: 0).',
    )
  })

  it('refuses what is no sandbox, and options that there are not', () => {
    expect(() => expect({}).toHaveBehaved()).toThrow(
      /the value given to expect\(\) is not a sandbox/,
    )
    expect(() => expect(createFrozenSandbox()).toHaveBehaved(Object({ ignored: [] }))).toThrow(
      /Did you mean "ignore"/,
    )
  })

  it('judges a sandbox that runs elsewhere, and its worlds, when it is awaited', async () => {
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
    await expect(failing).rejects.toThrow(/it did not\.\n\n[\s\S]*deprecated {2}getPet/)
    await stopServers()
  })

  it('judges what came after the last reset', async () => {
    const sandbox = await createMisusedSandbox()

    sandbox.reset()
    await sendRequest(sandbox, '/pets')

    expect(sandbox).toHaveBehaved()
  })
})
