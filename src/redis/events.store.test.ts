import { createServer, request, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import {
  launchCommand,
  type StartedCommand,
  startCommand,
  stopCommands,
} from '../testing/command.ts'
import { SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { type ListeningServer, serveHttp, stopServers } from '../testing/servers.ts'
import { BIN } from '../testing/store/servers.ts'
import { loadRedisClient } from './redis-client.ts'
import { parseStoreAddress } from './store-address.ts'

const DOCUMENT = 'src/testing/shop-events.yaml'

let redis: StartedRedis
beforeEach(async () => {
  redis = await startRedis()
})
afterEach(async () => {
  await stopCommands()
  await stopServers()
  await stopRedis()
})

describe('the events of servers that are killed', () => {
  /** The ids of the events that came, with the records that they are about. */
  let got: { readonly id: string; readonly order: number }[] = []
  /** Called with the number of each request, before it is answered; never answered when it resolves with `false`. */
  let onRequest: (at: number) => Promise<boolean>
  let receiver: Server
  let hook = ''

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      let text = ''
      for await (const part of request) text += part
      const { id, data } = JSON.parse(text)
      got.push({ id, order: data.object.id })
      if (await onRequest(got.length)) response.end('thanks')
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    hook = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hooks`
  })
  beforeEach(() => {
    got = []
    onRequest = async () => true
  })
  afterAll(() => {
    receiver.closeAllConnections()
    receiver.close()
  })

  const start = (...options: readonly string[]): Promise<StartedCommand> =>
    startCommand([DOCUMENT, '--store', redis.address, ...options], {
      program: [process.execPath, BIN],
    })

  async function order(base: string): Promise<number> {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ item: 'book' })
    const response = await fetch(`${base}/orders`, { method: 'POST', headers, body })
    expect(response.status).toBe(201)
    return (await response.json()).id
  }

  it('are sent by another one, with the same id, when one was killed while the receiver had it', async () => {
    const [one, other] = [await start('--webhook', hook), await start('--webhook', hook)]
    onRequest = async (at) => {
      if (at > 1) return true
      await one.stop('SIGKILL')
      return false
    }

    const id = await order(one.base)
    await expect.poll(() => got.length, { timeout: 60_000 }).toBe(2)
    const control = `${new URL(other.base).origin}/__sandbox`
    const read = async (): Promise<unknown> => (await fetch(`${control}/deliveries`)).json()

    await expect.poll(read).toMatchObject([{ id: 1, state: 'delivered' }])
    expect(got.map((one) => one.order)).toEqual([id, id])
    expect(got[0]?.id).toBe(got[1]?.id)
  })

  /** Creates orders at two servers, of which one after the other is killed. Resolves with their ids. */
  async function orderWhileKilled(
    servers: StartedCommand[],
    ...options: readonly string[]
  ): Promise<readonly number[]> {
    const created: number[] = []
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 8; at += 1) {
        created.push(await order(servers[at % 2]?.base ?? ''))
      }
      const [killed] = servers.splice(round % 2, 1)
      await killed?.stop('SIGKILL')
      servers.push(await start(...options))
    }
    return created
  }

  const missingOf = (created: readonly number[]): readonly number[] =>
    created.filter((id) => !got.some((one) => one.order === id))

  it('are all sent, whichever server is killed meanwhile', async () => {
    const options = ['--webhook', hook]
    const created = await orderWhileKilled(
      [await start(...options), await start(...options)],
      ...options,
    )

    await expect.poll(() => missingOf(created), { timeout: 60_000 }).toEqual([])
    expect(created).toHaveLength(24)
  })

  it('all reach a receiver behind listen, whose requests a load balancer spreads over the servers', async () => {
    const servers = [await start(), await start()]
    const balancer = await serveBalanced(() => servers.map(({ base }) => new URL(base).port))
    const listening = launchCommand(['listen', balancer.origin, '--forward-to', hook], {
      program: [process.execPath, BIN],
    })
    await listening.waitForOutput(/Sends events to /)

    const created = await orderWhileKilled(servers)

    await expect.poll(() => missingOf(created), { timeout: 90_000 }).toEqual([])
    expect(created).toHaveLength(24)
  })
})

/** A load balancer: each request goes to the next of the servers with these ports. */
function serveBalanced(ports: () => readonly string[]): Promise<ListeningServer> {
  let turn = 0
  return serveHttp((incoming, response) => {
    turn += 1
    const port = ports()[turn % ports().length]
    const { method, headers, url: path } = incoming
    const sent = request({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy()).pipe(response)
    })
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
}

describe('a sandbox whose clients have no subscriptions', () => {
  /** What a contract without events has written, in a store of its own: its keys, and the number of each command that writes. */
  async function writtenBy(contract: Contract): Promise<unknown> {
    const { address, stop } = await startRedis()
    const pair = await SharedPair.open(address, { contract, records: 3 })
    const { id } = (await pair.send(0, 'POST', '/v1/orders', { item: 'book' })).body
    await pair.send(1, 'PATCH', `/v1/orders/${id}`, { item: 'pen' })
    await pair.send(0, 'POST', `/v1/orders/${id}/cancel`)
    await pair.send(1, 'GET', '/v1/orders')
    await pair.send(0, 'DELETE', '/v1/orders/1')
    await pair.close()
    const client = await loadRedisClient(parseStoreAddress(address))
    await client.connect()
    const keys = textsOf(await client.call('keys', '*')).map((key) => {
      return key.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    })
    const info = String(await client.call('info', 'commandstats'))
    const counts = [...info.matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
      .filter(([, name = '']) => WRITES.includes(name))
      .map(([, name, count]) => `${name} ${count}`)
    client.close()
    await stop()

    return { keys: keys.sort(), counts: counts.sort() }
  }

  it('writes nothing more to the store than one that never sends an event', async () => {
    const contract = await loadContract(DOCUMENT)
    const { subscriptions: _, webhooks: __, ...rest } = contract
    const silent = {
      ...rest,
      operations: rest.operations.map(({ callbacks: _callbacks, ...operation }) => operation),
    }

    const written = await writtenBy(contract)

    expect(written).toEqual(await writtenBy(silent))
    expect(JSON.stringify(written)).not.toMatch(/events|pending|hooks/)
  })
})

/** The commands of the scripts that write. */
const WRITES = [
  'set',
  'incr',
  'hset',
  'hsetnx',
  'hincrby',
  'hdel',
  'sadd',
  'srem',
  'zadd',
  'zrem',
].concat(['rpush', 'ltrim', 'xadd', 'xtrim', 'del', 'unlink'])

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
