import { expect, test } from 'vitest'
import { parseJson } from './contract/json.ts'
import { createSandbox } from './sandbox/sandbox.ts'

const enc = new TextEncoder()
test.each([
  ['zeros1', '1.' + '0'.repeat(500000) + '1'],
  ['zeros', '1.' + '10'.repeat(250000) + '1'],
  ['digits', '1'.repeat(1000000)],
  ['zeros-int', '1' + '0'.repeat(1000000)],
  ['exp', '1e' + '1'.repeat(1000000)],
  ['neg', '-0.' + '0'.repeat(1000000) + '1'],
  ['quotes', '"'.repeat(1000000)],
  ['bs', '"' + '\\'.repeat(999999)],
  ['brk', '['.repeat(1000000)],
  ['ws', '[' + ' '.repeat(1000000)],
  ['keys', '{' + Array.from({ length: 80000 }, (_, i) => `"k${i}":1`).join(',') + '}'],
  ['dups', '{' + Array.from({ length: 80000 }, (_, i) => `"k":1`).join(',') + '}'],
  ['commas', '[' + '1,'.repeat(300000) + '1]'],
])('%s', (name, text) => {
  const t = performance.now()
  let r: unknown
  try {
    r = parseJson(enc.encode(text))
  } catch (e) {
    r = String(e).slice(0, 200) + ' ' + String(e).length
  }
  console.log(name, Math.round(performance.now() - t), typeof r === 'string' ? r : typeof r)
})
test('copy in', async () => {
  const s = createSandbox({ records: 2, seed: 9 })
  const v = { name: 'a', categoryId: 1, extra: { a: [1] } }
  const c = s.collection('pets')
  const r = await c.create(v)
  v.extra.a.push(2)
  console.log(
    JSON.stringify(await c.get(r.id as number)),
    Object.getOwnPropertySymbols(await c.get(3)),
    JSON.stringify(r),
  )
})
