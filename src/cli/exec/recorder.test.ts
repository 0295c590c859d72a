import { expect, it } from 'vitest'
import { contract } from '../../generated/contract.ts'
import { createSandbox } from '../../index.ts'
import { report } from '../../report/report.ts'
import { Recorder } from './recorder.ts'

const LIST = 'http://localhost/v1/pets'

it('requests before a reset are kept in a recording of their own', async () => {
  const sandbox = createSandbox({ journal: 1 })
  const recorder = new Recorder(contract)
  sandbox.worlds.onExchange(recorder.listen)

  await sandbox.fetch(new Request(LIST))
  await sandbox.fetch(new Request(LIST))
  sandbox.reset()
  await sandbox.fetch(new Request(LIST))
  await sandbox.fetch(new Request('http://localhost/worlds/cart/v1/pets'))

  const { requests, recordings, notices, entries } = report(recorder.recordings, contract)
  expect({ requests, recordings, notices }).toEqual({ requests: 4, recordings: 3, notices: [] })
  expect(entries.map(({ id, world }) => [id, world])).toEqual([
    ['1:1', undefined],
    ['1:2', undefined],
    ['2:1', 'default, after reset 1'],
    ['3:1', 'cart'],
  ])
})

it('a request in progress during a reset belongs to the recording before it', async () => {
  const sandbox = createSandbox({ latency: 50 })
  const recorder = new Recorder(contract)
  sandbox.worlds.onExchange(recorder.listen)

  await sandbox.fetch(new Request(LIST))
  const late = sandbox.fetch(new Request(LIST))
  sandbox.reset()
  await Promise.all([late, sandbox.fetch(new Request(LIST))])

  expect(recorder.recordings.map(({ length }) => length)).toEqual([2, 1])
})
