import { expect, it } from 'vitest'
import { errorOf, idsOf } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

const NAME = 'takes "50 %" off > every/order 😀'
const IN_WORLD = { 'X-Sandbox-World': encodeURIComponent(NAME) }

describeEachTransport('Worlds', (open) => {
  it('selects a world with its own records and counts by the X-Sandbox-World header', async () => {
    const { request } = await open({ records: 1 })
    const body = { name: 'Rex', categoryId: 1 }

    const created = await request('POST', '/pets', { body, headers: IN_WORLD })
    const inWorld = await request('GET', '/pets', { headers: IN_WORLD })
    const inDefault = await request('GET', '/pets')

    expect(created.headers.get('Location')).toMatch(/\/v1\/pets\/2$/)
    expect(await idsOf(inWorld)).toEqual([1, 2])
    expect(await idsOf(inDefault)).toEqual([1])
    expect(inWorld.headers.get('X-RateLimit-Remaining')).toBe('58')
    expect(inDefault.headers.get('X-RateLimit-Remaining')).toBe('59')
  })

  it('returns 400 with the reason for an X-Sandbox-World header that is not a valid world name', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { 'X-Sandbox-World': '%2E%2E' } })

    expect(await errorOf(response)).toEqual({
      code: 'invalid_request',
      message:
        'Cannot use ".." in the header X-Sandbox-World as the name of a world: URLs drop the segments "." and "..", ' +
        'so its requests would reach another world. Choose another name.',
      status: 400,
    })
  })
})
