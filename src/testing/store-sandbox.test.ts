import { describe, expect, it, onTestFinished } from 'vitest'
import { findRunStore } from './redis/run-store.ts'
import { openBalancedServers } from './store-sandbox.ts'

describe.skipIf(!findRunStore())('two servers on one store', () => {
  it('answer every other request', async () => {
    const { instances, fetch, close } = await openBalancedServers({})
    onTestFinished(close)
    const answered = instances.map(() => 0)
    instances.forEach(({ sandbox }, at) => {
      sandbox.onExchange(() => {
        answered[at] = (answered[at] ?? 0) + 1
      })
    })

    for (let count = 0; count < 6; count += 1) await fetch(new Request('http://localhost/v1/pets'))

    expect(answered).toEqual([3, 3])
  })

  it('are steered by one client', async () => {
    const { fetch, client, close } = await openBalancedServers({ sandbox: { records: 2 } })
    onTestFinished(close)
    await client.force('server-error')

    const statuses = [
      (await fetch(new Request('http://localhost/v1/pets'))).status,
      (await fetch(new Request('http://localhost/v1/pets'))).status,
    ]

    expect(statuses).toEqual([500, 500])
    expect(await client.journal.last()).toBe(2)
  })
})
