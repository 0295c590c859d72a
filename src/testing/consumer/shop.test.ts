import { setupServer } from 'msw/node'
import { createSandbox } from 'pet-sandbox'
import { strict, toHandlers } from 'pet-sandbox/msw'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { createPetClient } from './client.ts'
import { createShop, type Shop } from './shop.ts'

const BASE = 'https://api.example.com/v1'
const sandbox = createSandbox()
const server = setupServer(...toHandlers(sandbox, { baseUrl: BASE }))

let shop: Shop

beforeAll(() => server.listen(strict))
beforeEach(() => {
  shop = createShop(createPetClient(BASE, 'sk_sandbox_free'), () => undefined)
})
afterEach(() => sandbox.reset())
afterAll(() => server.close())

describe('the shop', () => {
  test('loads all pages', async () => {
    await shop.show()
    while (shop.state.next !== undefined) await shop.more()

    expect(shop.state.pets.map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    )
  })

  test('filters all pages by status', async () => {
    await shop.show('sold')
    await shop.more()

    expect(shop.state.pets).toHaveLength(16)
    expect(new Set(shop.state.pets.map(({ status }) => status))).toEqual(new Set(['sold']))
  })

  test('shows an added animal first, with the id from the store', async () => {
    await shop.show()

    await shop.add({ name: 'Biscuit', categoryId: 2 })

    expect(shop.state.pets[0]).toEqual({
      id: 51,
      name: 'Biscuit',
      categoryId: 2,
      status: 'available',
    })
  })

  test('shows the message of an error response', async () => {
    await shop.add({ name: 'Biscuit', categoryId: 1.5 })

    expect(shop.state.message).toBe('body.categoryId must be integer')
  })

  test('sends no request before the Retry-After of a 429 has passed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await shop.show()
    sandbox.force('rate-limited', { times: 1, retryAfter: 1 })
    await shop.show()
    const sent = sandbox.journal.exchanges.length
    await shop.show()

    expect(shop.secondsLeft()).toBe(1)
    expect(shop.state.pets).toHaveLength(8)
    expect(sandbox.journal.exchanges).toHaveLength(sent)

    vi.setSystemTime(Date.now() + 1000)
    await shop.show()

    expect(shop.state.message).toBeUndefined()
  })
})
