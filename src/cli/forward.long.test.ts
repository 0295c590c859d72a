import { afterEach, expect, test } from 'vitest'
import { launchCommand, runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { findRunStore } from '../testing/redis/run-store.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

test('listen sends the events of a sandbox elsewhere to a receiver here, and tells what it answers', async () => {
  const got: string[] = []
  const receiver = await serveHttp((request, response) => {
    got.push(String(request.headers['webhook-id']))
    response.writeHead(got.length === 1 ? 204 : 500).end()
  })
  const { base } = await startCommand()
  const address = `${receiver.origin}/hooks`

  const listening = launchCommand(['listen', base, '--forward-to', address])
  await listening.waitForOutput(/Sends events to http:\S+, signed with whsec_\S+\. /)
  const { stdout } = await runCommand(['ctl', '--url', base, 'trigger', 'pet.adopted'])
  await runCommand(['ctl', '--url', base, 'emit', 'pet.created'])
  const output = await listening.waitForOutput(/pet\.created/)

  expect(stdout).toMatch(/^pet\.adopted about pets\/\d+: evt_\w+\n$/)
  expect(output).toMatch(/^pet\.adopted pets\/\d+: 204 \(\d+ ms\)$/m)
  expect(output).toMatch(/^pet\.created pets\/\d+: 500 \(\d+ ms\)$/m)
  process.kill(-Number(listening.child.pid), 'SIGINT')
  expect((await listening.ended).code).toBe(0)
})

test('listen refuses an address that is no URL', async () => {
  const { code, stderr } = await runCommand(['listen', '--forward-to', 'localhost:3000'])

  expect(code).toBe(2)
  expect(stderr).toBe(
    'pet-sandbox: Cannot use the option --forward-to: "localhost:3000" is not a URL with http: or https:. Write the address of the receiver, such as http://127.0.0.1:3000/hooks.\n',
  )
})

test('the server says once why it refuses deliveries', async () => {
  let change = async (): Promise<void> => undefined
  let got = 0
  const receiver = await serveHttp(async (_request, response) => {
    got += 1
    await change()
    response.writeHead(204).end()
  })
  const server = await startCommand([
    'src/testing/shop-events.yaml',
    ...['--webhook', `${receiver.origin}/hooks`],
  ])
  for (const order of [1, 2]) {
    change = async () => {
      await fetch(`${server.base}/orders/${order}`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ item: String(got) }),
      })
    }
    await change()
    await expect.poll(() => got, { timeout: 20_000 }).toBe(order * 21)
  }
  const { stderr } = await server.stop()

  expect(stderr).toBe(
    'pet-sandbox: Refuses deliveries: the receiver has caused this event itself 20 times in a row. pet-sandbox ctl deliveries --state refused shows which.\n',
  )
})

const store = findRunStore()

test.skipIf(!store).each(['src/testing/shop-events.yaml', 'src/testing/streams.yaml'])(
  'listen gets the events of a server whose state is in a store: %s',
  async (document) => {
    const { address = '', prefix = '' } = store ?? {}
    const shared = ['--store', address, '--store-prefix', `${prefix}:${crypto.randomUUID()}`]
    const { base } = await startCommand([document, ...shared])
    const receiver = await serveHttp((_request, response) => void response.writeHead(204).end())
    const hook = `${receiver.origin}/hooks`
    const listening = launchCommand(['listen', base, '--forward-to', hook])
    await listening.waitForOutput(/Sends events to http:\S+, signed with whsec_\S+\. /)

    await fetch(`${base}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"item":"book"}',
    })
    const output = await listening.waitForOutput(/: 204/)

    expect(output).toMatch(/^\S+ orders\/\d+: 204 \(\d+ ms\)$/m)
    process.kill(-Number(listening.child.pid), 'SIGINT')
    expect((await listening.ended).code).toBe(0)
  },
)
