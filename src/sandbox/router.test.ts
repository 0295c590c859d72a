import { expect, test } from 'vitest'
import { routerOf } from './router.ts'
import { createSandbox } from './sandbox.ts'

test('the router of a world is not among the properties that a user sees', () => {
  const sandbox = createSandbox()

  expect(Reflect.ownKeys({ ...sandbox })).toEqual(Object.keys(sandbox))
  expect(sandbox).not.toHaveProperty('resolveMount')
})

test('a sandbox leads a path to the world that it names, and a world to itself', () => {
  const sandbox = createSandbox()
  const header = (): undefined => undefined

  const mount = routerOf(sandbox).resolveMount('/worlds/one/v1/pets', header)
  const none = routerOf(sandbox.world('one')).resolveMount('/worlds/one/v1/pets', header)

  expect(mount).toMatchObject({ basePath: '/worlds/one/v1', path: '/pets' })
  expect(none).toBeUndefined()
})

test('an object that is not a world has no router', () => {
  expect(() => routerOf({ ...createSandbox() })).toThrow(
    'Cannot use the sandbox: the value is not a sandbox.',
  )
})
