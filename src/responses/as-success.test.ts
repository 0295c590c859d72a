import { expect, test } from 'vitest'
import { openApi } from '../testing/documented-api.ts'
import { objectOf } from '../testing/operation-on.ts'

const FLAG = { type: 'boolean' }

test.each(['ok', 'success', 'isSuccessful'])(
  'a generated response says by %s that the request succeeded, and has no error',
  async (flag) => {
    const answer = objectOf({ [flag]: FLAG, error: { type: 'string' }, team: { type: 'string' } })
    const { ask } = await openApi({
      'POST /auth.test': { shown: { ...answer, required: [flag, 'team'] } },
    })

    const { body } = await ask('POST /auth.test')

    expect(body).toEqual({ [flag]: true, team: expect.any(String) })
  },
)

test('a generated response without such a flag stays as it is', async () => {
  const answer = objectOf({ error: { type: 'string' }, team: { type: 'string' } })
  const { ask } = await openApi({
    'POST /auth.test': { shown: { ...answer, required: ['error', 'team'] } },
  })

  expect(Object.keys((await ask('POST /auth.test')).body).sort()).toEqual(['error', 'team'])
})
