import { expect, it } from 'vitest'
import { errorOf, idsOf } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

const NAME = 'takes "50 %" off > every/order 😀'
const IN_WORLD = { 'X-Sandbox-World': encodeURIComponent(NAME) }

describeEachTransport('Worlds', (open) => {
  it('chooses a world by a header, whose records and counts are its own', async () => {
    const { request } = await open({ records: 1 })
    const body = { name: 'Rex', categoryId: 1 }

    const created = await request('POST', '/pets', { body, headers: IN_WORLD })
    const there = await request('GET', '/pets', { headers: IN_WORLD })
    const here = await request('GET', '/pets')

    expect(created.headers.get('Location')).toMatch(/\/v1\/pets\/2$/)
    expect(await idsOf(there)).toEqual([1, 2])
    expect(await idsOf(here)).toEqual([1])
    expect(there.headers.get('X-RateLimit-Remaining')).toBe('58')
    expect(here.headers.get('X-RateLimit-Remaining')).toBe('59')
  })

  it('refuses a header that cannot name a world with a 400 that says why', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { 'X-Sandbox-World': '%2E%2E' } })

    expect(await errorOf(response)).toEqual({
      code: 'invalid_request',
      message:
        'Cannot use ".." in the header X-Sandbox-World as the name of a world: URLs drop the segments "." and "..", ' +
        'so that its requests would reach another world. Choose another name.',
      status: 400,
    })
  })
})
