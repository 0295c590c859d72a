import { expect, it } from 'vitest'
import { petOf, petsOf } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

describeEachTransport('States and transitions', (open) => {
  it.each(['available', 'pending', 'sold'])('adds an animal with the status %s', async (status) => {
    const { request } = await open()

    const response = await request('POST', '/pets', {
      body: { name: 'Fern', categoryId: 1, status },
    })

    expect((await petOf(response)).status).toBe(status)
  })

  it('sets the status of an animal that is added without one to available', async () => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', { body: { name: 'Fern', categoryId: 1 } })

    const { id, status } = await petOf(response)
    expect(status).toBe('available')
    expect(await sandbox.collection('pets').get(id)).toHaveProperty('status', 'available')
  })

  it('starts with animals in all three states', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets?limit=100')

    const states = new Set((await petsOf(response)).map(({ status }) => status))
    expect([...states].sort()).toEqual(['available', 'pending', 'sold'])
  })

  it('keeps the state of an animal between requests', async () => {
    const { request } = await open()
    const body = { name: 'Fern', categoryId: 1, status: 'pending' }
    const { id } = await petOf(await request('POST', '/pets', { body }))

    const response = await request('GET', `/pets/${id}`)

    expect((await petOf(response)).status).toBe('pending')
  })

  it.each(['PUT', 'PATCH', 'DELETE'])(
    'returns 405 for %s and changes no animal',
    async (method) => {
      const { request, sandbox } = await open()
      const before = await sandbox.collection('pets').list()

      const response = await request(method, '/pets/1', { body: { status: 'sold' } })

      expect(response.status).toBe(405)
      expect(await sandbox.collection('pets').list()).toEqual(before)
    },
  )
})
