import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'

const contract = await loadContract(join(import.meta.dirname, 'calls.yaml'))
const sandbox = createSandbox({
  contract,
  records: {
    users: [
      { id: 1, name: 'Bob' },
      { id: 2, name: 'Ada' },
    ],
    tasks: 0,
  },
})

beforeEach(() => sandbox.reset())

async function call(method: string, params: object = {}, key = 'sk_ada') {
  const request = new Request('http://localhost/rpc', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  const response = await sandbox.fetch(request)
  const { jsonrpc, id, ...answer } = await response.json()
  expect({ status: response.status, jsonrpc, id }).toEqual({ status: 200, jsonrpc: '2.0', id: 7 })
  return answer
}

test('calls create, read, list, change and remove the records of their caller', async () => {
  const { result: task } = await call('task.create', { title: 'Write' })
  expect(task).toEqual({ id: 1, title: 'Write', done: false, owner: 2 })

  expect(await call('user.me')).toEqual({ result: { id: 2, name: 'Ada' } })
  expect(await call('task.get', { id: 1 })).toEqual({ result: task })
  expect(await call('task.rename', { taskId: 1, title: 'Print' })).toEqual({
    result: { ...task, title: 'Print' },
  })
  expect(await call('task.finish', { id: 1 })).toMatchObject({ result: { done: true } })
  await sandbox.collection('tasks').create({ title: 'Other', done: false, owner: 1 })
  expect(await call('task.list')).toMatchObject({ result: [{ title: 'Print' }] })
  expect(await call('task.remove', { id: 1 })).toEqual({ result: true })
  expect(await call('task.list')).toEqual({ result: [] })
})

// region errors
test('errors are results with a code of the document', async () => {
  expect(await call('task.get', { id: 5 })).toMatchObject({ error: { code: -32004 } })
  expect(await call('task.lost')).toMatchObject({ error: { code: -32602 } })
  expect(await call('task.list', { order: 'age' })).toEqual({
    error: { code: -32602, message: 'Tasks have no order age.' },
  })
  await call('task.create', { title: 'Write' })
  await call('task.finish', { id: 1 })
  expect(await call('task.finish', { id: 1 })).toMatchObject({ error: { code: -32009 } })
})
// endregion

test('a call that no case is for is answered as the document describes it', async () => {
  expect(await call('ping')).toMatchObject({ result: expect.anything() })
})
