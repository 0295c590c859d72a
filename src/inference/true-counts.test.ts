import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const NUMBER = { type: 'integer' } as const
const TEXT = { type: 'string' } as const
const LIST = listOf(objectOf(['text']))

/** What posts have in a property, beside collections of comments and payments that name the post. */
function ruleFor(name: string, others: Readonly<Record<string, Schema>> = {}): unknown {
  const post = objectOf({ id: NUMBER, [name]: NUMBER, ...others })
  const child = objectOf({ id: NUMBER, text: TEXT, post_id: NUMBER })
  const collection = (path: string, shown: Schema): ReturnType<typeof operationOn>[] => [
    operationOn(`GET ${path}`, { shown: listOf(shown) }),
    operationOn(`POST ${path}`, { sent: objectOf(['text', 'post_id']), shown }),
    operationOn(`GET ${path}/{id}`, { shown }),
  ]
  const hints = inferHints([
    ...collection('/posts', post),
    ...collection('/comments', child),
    ...collection('/payments', child),
  ])
  return hints.resource('posts')?.values?.[name]
}

test.each(['comments_count', 'commentsTotal', 'totalComments', 'num_comments', 'nbCommentsCount'])(
  '%s counts what is beside the record, or its list',
  (name) => {
    expect(ruleFor(name)).toBe('{referring post_id in comments}')
    expect(ruleFor(name, { comments: LIST })).toBe('{size comments}')
  },
)

test.each([
  'max_comments',
  'comments_limit',
  'remainingComments',
  'commentsSize',
  'total_payments',
])('%s is no count of records', (name) => {
  expect(ruleFor(name, { comments: LIST })).toBeUndefined()
})
