import { describe, expect, it } from 'vitest'
import { toEcmaPattern } from './ecma-pattern.ts'

function accepts(pattern: string, text: string): boolean {
  return new RegExp(toEcmaPattern(pattern), 'u').test(text)
}

describe('a pattern of another engine', () => {
  it.each<[pattern: string, valid: string, invalid: string]>([
    ['\\A[a-z]+\\z', 'abc', 'abc1'],
    ['\\A\\d{4}\\Z', '2030', '20301'],
    ['(?i)^abc[d-f]$', 'aBcE', 'abcg'],
    ['^(?i)x-[0-9a-f]+$', 'X-0AF', 'X-0G'],
    ['(?i)^\\d+h$', '12H', 'dH'],
    ['^a++b*+$', 'aabb', 'ba'],
    ['^\\d{2,4}+$', '123', '1'],
    ['^(?>a|b)c$', 'bc', 'c'],
    ['^(?P<year>\\d{4})$', '2030', 'year'],
    ['^[[:alpha:]_]+$', 'a_B', 'a1'],
    ['^[^[:space:]]+$', 'ab', 'a b'],
    ['^a\\hb$', 'a b', 'ahb'],
    ['^\\p{Alnum}+$', 'a1', 'a-1'],
    ['^[\\p{Digit}\\p{Blank}]+$', '1 2', '1a'],
    ['^\\P{Punct}+$', 'ab', 'a!'],
  ])('%s accepts %s, and not %s', (pattern, valid, invalid) => {
    expect(accepts(pattern, valid)).toBe(true)
    expect(accepts(pattern, invalid)).toBe(false)
  })
})

describe('a pattern of JavaScript', () => {
  it.each([
    '^[a-z]+$',
    '^a+?b*?$',
    '^[*+]+$',
    '^\\+\\d+$',
    '^(?:a|b)(?=c)(?<!d)$',
    '^\\p{L}+\\u{1F600}$',
    '^\\p{Alpha}\\p{Lower}+$',
    '^a\\\\A$',
    '^[\\w.+-]+@[\\w.]+$',
  ])('%s means the same', (pattern) => {
    expect(toEcmaPattern(pattern)).toBe(pattern)
  })
})
