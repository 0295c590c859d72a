import { expect, test } from 'vitest'
import { KeyedLock, untilKept } from './contention.ts'

test('a task runs again until it has a result', async () => {
  let runs = 0

  const result = await untilKept('default', async () => {
    runs += 1
    return runs < 3 ? undefined : 'kept'
  })

  expect(result).toBe('kept')
  expect(runs).toBe(3)
})

test('a task that never has a result fails after 50 attempts', async () => {
  let runs = 0

  const result = untilKept('default', async () => {
    runs += 1
    return undefined
  })

  await expect(result).rejects.toThrow('Too many changes of the world "default" at the same time.')
  expect(runs).toBe(50)
})

test('tasks of the same name come one after the other, and those of other names do not wait', async () => {
  const locks = new KeyedLock()
  const order: string[] = []
  const end = await locks.acquire('pets')
  const second = locks.acquire('pets').then((endSecond) => {
    order.push('second')
    endSecond()
  })
  const endOther = await locks.acquire('categories')
  order.push('first')
  endOther()

  end()
  await second

  expect(order).toEqual(['first', 'second'])
})
