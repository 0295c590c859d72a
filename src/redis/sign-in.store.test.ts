import { afterEach, describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { findRunStore } from '../testing/redis/run-store.ts'
import {
  call,
  codeFor,
  errorOf,
  exchange,
  get,
  post,
  ROOT,
  refresh,
  type Tokens,
  tokensFor,
} from '../testing/sign-in.ts'
import { type BalancedServers, openBalancedServers } from '../testing/store-sandbox.ts'
import type { SharedOptions } from './shared-sandbox.ts'

/** Requests alternate between two servers. */
let servers: BalancedServers

async function open(options: Omit<SharedOptions, 'store'> = {}): Promise<BalancedServers> {
  const contract = await loadContract('src/testing/notes-sign-in.yaml')
  const plans = { free: { minute: 20, day: 200 }, pro: { minute: 50, day: 500 } }
  servers = await openBalancedServers({
    sandbox: { contract, plans, signIn: { random: 'system' }, ...options },
    publicUrl: 'http://localhost:4010',
  })
  await servers.client.clock.freeze()
  return servers
}

describe.skipIf(!findRunStore())('two servers on one store', () => {
  afterEach(() => servers.close())

  it('sign a user in, serve its tokens on one quota, and end them on one clock', async () => {
    const { client } = await open()
    const { access_token } = await tokensFor(servers, '2', { plan: 'pro' })

    const both = [await call(servers, access_token, '/v1/me'), await call(servers, access_token)]
    await client.clock.advance('1h')
    const ended = [await call(servers, access_token), await call(servers, access_token)]

    expect(await both[0]?.json()).toMatchObject({ id: 2 })
    expect(both.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['49', '48'])
    expect(ended.map(({ status }) => status)).toEqual([401, 401])
    expect(ended[0]?.headers.get('www-authenticate')).toContain('has expired')
  })

  it('let one of many requests use a code, and one a refresh token', async () => {
    await open()
    const code = await codeFor(servers)
    const codes = await Promise.all(Array.from({ length: 6 }, () => exchange(servers, code)))
    const { refresh_token } = await tokensFor(servers)
    const refreshes = await Promise.all(
      Array.from({ length: 6 }, () => refresh(servers, refresh_token)),
    )

    expect(codes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(refreshes.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('revoke and list tokens for each other, and have one key', async () => {
    const { client } = await open()
    const keys = await Promise.all([get(servers, '/oauth/jwks'), get(servers, '/oauth/jwks')])
    const issued = await client.signIn.as('1', { scopes: ['notes:read'] })
    const tokens = await client.signIn.tokens({ state: 'valid' })
    const served = await call(servers, issued.access_token)
    const isRevoked = await client.signIn.revoke(tokens[0]?.grant ?? '')
    const refused = await call(servers, issued.access_token)

    expect(await keys[0]?.text()).toBe(await keys[1]?.text())
    expect(tokens.map(({ kind }) => kind).sort()).toEqual(['access', 'refresh'])
    expect([served.status, isRevoked, refused.status]).toEqual([200, true, 401])
  })

  it('keep what was issued in a snapshot, and forget it at a reset', async () => {
    const { client } = await open()
    const { access_token } = await tokensFor(servers)
    const snapshot = await client.snapshot()
    await client.reset()
    const forgotten = await call(servers, access_token)
    await client.restore(snapshot)
    const restored = await call(servers, access_token)

    expect([forgotten.status, restored.status]).toEqual([401, 200])
  })

  it('force outcomes of sign-in so many times', async () => {
    const { client } = await open()
    await client.force('invalid-grant', { times: 1 })
    const code = await codeFor(servers)
    const refused = await exchange(servers, code)

    expect(await errorOf(refused)).toEqual([400, 'invalid_grant'])
    expect((await exchange(servers, code)).status).toBe(200)
  })

  it('have the pages and the exchanges of sign-in in the journal, without secrets', async () => {
    const { client } = await open()
    const tokens = await tokensFor(servers)
    await get(servers, '/oauth2/authorize')
    await post(servers, '/oauth/revoke', { client_id: 'web', token: tokens.refresh_token })

    const exchanges = await client.journal.exchanges()

    expect(exchanges.map(({ endpoint }) => endpoint)).toEqual([
      ...['authorize', 'token', 'authorize', 'revoke'],
    ])
    expect(JSON.stringify(exchanges)).not.toContain(tokens.refresh_token)
  })

  describe('with a world for each key', () => {
    const create = (token: string, text: string): Promise<Response> =>
      servers.fetch(
        new Request(`${ROOT}/v1/notes`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ text }),
        }),
      )
    const texts = async (token: string): Promise<readonly unknown[]> => {
      const notes: { readonly text: string }[] = await (await call(servers, token)).json()
      return notes.map(({ text }) => text)
    }
    const both = { scope: 'notes:read notes:write' }

    it('lead each token to the world of its client, where its user is the caller', async () => {
      await open({ worldBy: 'key' })
      const [one, again] = [
        await tokensFor(servers, '2', both),
        await tokensFor(servers, '1', both),
      ]
      const code = await codeFor(servers, '1', { ...both, client_id: 'other' })
      const other: Tokens = await (await exchange(servers, code, { client_id: 'other' })).json()

      const made = await create(one.access_token, 'Only for web')

      expect(made.status).toBe(201)
      expect(await texts(one.access_token)).toContain('Only for web')
      expect(await texts(again.access_token)).toContain('Only for web')
      expect(await texts(other.access_token)).not.toContain('Only for web')
      const me = await call(servers, one.access_token, '/v1/me')
      expect(await me.json()).toMatchObject({ id: 2 })
      const worlds = await servers.client.worlds.list()
      expect(worlds.filter(({ name }) => name.startsWith('key:'))).toHaveLength(2)
    })

    it('refuse a token there after its end, its revocation and with too few scopes', async () => {
      const { client } = await open({ worldBy: 'key' })
      const narrow = await tokensFor(servers)
      const { access_token, refresh_token } = await tokensFor(servers, '1', both)
      const scopes = await create(narrow.access_token, 'No')
      const next: Tokens = await (await refresh(servers, refresh_token)).json()
      await post(servers, '/oauth/revoke', { client_id: 'web', token: next.refresh_token })
      const revoked = [await call(servers, access_token), await call(servers, next.access_token)]
      await client.clock.advance('1h')
      const ended = [await call(servers, narrow.access_token), await call(servers, 'sbx_at_no')]

      expect(scopes.status).toBe(403)
      expect([...revoked, ...ended].map(({ status }) => status)).toEqual([401, 401, 401, 401])
    })

    it('issue no tokens in the world of a key', async () => {
      const { client } = await open({ worldBy: 'key' })
      const { access_token } = await client.signIn.as('1')
      await call(servers, access_token)
      const name = (await client.worlds.list()).find((one) => one.name.startsWith('key:'))?.name

      const world = await client.world(name ?? '')
      await expect(world.signIn.as('1')).rejects.toThrow(
        'the tokens of all clients are those of the default world',
      )
    })
  })
})
