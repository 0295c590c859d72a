import { setupServer } from 'msw/node'
import { sandbox, strict, toHandlers } from 'pet-sandbox/msw'
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest'

const server = setupServer()
const headers = { Authorization: 'Bearer sk_sandbox_free' }

beforeAll(() => server.listen(strict))
afterAll(() => server.close())

type World = ReturnType<typeof sandbox.world>

/** Runs a test in its own world. Only this world answers the requests of the test. */
function inOwnWorld(run: (world: World, context: TestContext) => Promise<void>) {
  return (context: TestContext) =>
    server.boundary(async () => {
      const world = sandbox.world(context.task.name)
      server.use(...toHandlers(world))
      await run(world, context)
    })()
}

describe.concurrent('tests that run at the same time', () => {
  test(
    'a removed record is gone',
    inOwnWorld(async (world, { expect }) => {
      await world.collection('pets').remove(1)
      const response = await fetch('https://api.example.com/v1/pets/1', { headers })

      expect(response.status).toBe(404)
    }),
  )

  test(
    'a record that nobody removed is there',
    inOwnWorld(async (world, { expect }) => {
      const response = await fetch('https://api.example.com/v1/pets/1', { headers })

      expect(await response.json()).toMatchObject({ name: 'Winston' })
      expect(world.journal.exchanges).toHaveLength(1)
    }),
  )
})
