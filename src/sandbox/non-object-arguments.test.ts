import { describe, expect, it } from 'vitest'
import { createClient } from '../client.ts'
import { createControl } from '../control.ts'
import { toExpress } from '../express.ts'
import { toHandlers } from '../msw.ts'
import { createSandbox } from './sandbox.ts'

/** Calls a function with what the compiler would refuse. */
async function call(action: (...given: never[]) => unknown, ...given: readonly unknown[]) {
  return Reflect.apply(action, undefined, given)
}

const sandbox = createSandbox({ records: 1 })
const pets = sandbox.collection('pets')
const client = createClient('http://127.0.0.1:1', {
  fetch: () => Promise.reject(new Error('A request was sent')),
})
const clientPets = client.collection('pets')

const PLACES: [place: string, action: (value: unknown) => Promise<unknown>][] = [
  ['createSandbox', (value) => call(createSandbox, value)],
  ...['contract', 'plans', 'keys', 'ban', 'scenarios'].map((name): (typeof PLACES)[number] => [
    name,
    (value) => call(createSandbox, { [name]: value }),
  ]),
  ['plans.free', (value) => call(createSandbox, { plans: { free: value } })],
  ['setPlan', (value) => call(sandbox.setPlan, 'free', value)],
  ['force', (value) => call(sandbox.force, 'unavailable', value)],
  ['world', (value) => call(sandbox.world, 'a', value)],
  ['journal.find', (value) => call((query) => sandbox.journal.find(query), value)],
  ['journal.waitFor', (value) => call((query) => sandbox.journal.waitFor(query), value)],
  ['waitFor options', (value) => call((given) => sandbox.journal.waitFor({}, given), value)],
  ['journal.toHar', (value) => call((query) => sandbox.journal.toHar(query), value)],
  ['report', (value) => call(sandbox.report, value)],
  ['list', (value) => call(pets.list, value)],
  ['createControl', (value) => call(createControl, sandbox, value)],
  ['toExpress', (value) => call(toExpress, sandbox, value)],
  ['toHandlers', (value) => call(toHandlers, sandbox, value)],
  ['createClient', (value) => call(createClient, 'http://127.0.0.1:1', value)],
  ['client.force', (value) => call(client.force, 'unavailable', value)],
  ['client.world', (value) => call(client.world, 'a', value)],
  ['client.report', (value) => call(client.report, value)],
  ['client.journal.find', (value) => call(client.journal.find, value)],
  ['client.journal.waitFor', (value) => call(client.journal.waitFor, value)],
  ['client waitFor options', (value) => call(client.journal.waitFor, {}, value)],
  ['client.journal.toHar', (value) => call(client.journal.toHar, value)],
  ['client list', (value) => call(clientPets.list, value)],
  ['client list where', (value) => call((where) => clientPets.list({ where }), value)],
]

describe.each(PLACES)('in %s', (_, action) => {
  it.each([[null], [[]], ['text'], [''], [5], [true]])('%j is rejected', async (value) => {
    await expect(action(value)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(
        /^Cannot [^:]+: the value must be .* \(got \w+\)\. Give .*\.$/,
      ),
    })
  })
})

it('a plan without windows is rejected', () => {
  expect(() => Reflect.apply(sandbox.setPlan, undefined, ['free'])).toThrow(
    'Cannot read the plans.free windows: the value must be an object (got undefined). Give an object.',
  )
})

it('origins that are not an array are rejected', async () => {
  await expect(call(createControl, sandbox, { origins: 5 })).rejects.toThrow(
    'Cannot use the option origins: the value must be an array (got 5). Give an array of origins.',
  )
})
