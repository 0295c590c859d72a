import type { YAMLError } from 'yaml'
import type { Mistake } from './mistake.ts'

type Words = readonly [why: string, advice: string]

const WORDS: Readonly<Record<string, Words>> = {
  TAB_AS_INDENT: ['a tab is used as indentation', 'Indent with spaces.'],
  BAD_INDENT: ['the indentation does not fit', 'Align it with its neighbours.'],
  BLOCK_AS_IMPLICIT_KEY: ['the value holds a second ": "', 'Put the value in quotes.'],
  MULTILINE_IMPLICIT_KEY: ['the line has no ": "', 'Add it, or put the text above in quotes.'],
  BAD_SCALAR_START: ['the value starts with a reserved character', 'Put the value in quotes.'],
  MULTIPLE_DOCS: ['a second document starts here', 'Keep one document in a file.'],
  RESOURCE_EXHAUSTION: ['it is nested too deeply', 'Flatten it.'],
  MISSING_CHAR: ['a quote, bracket or comma is missing', 'Add it.'],
}

/**
 * The first syntax error, since those after it mostly follow from it; else each key that is given
 * twice.
 */
export function syntaxMistakes(
  errors: readonly YAMLError[],
  text: string,
  isJson: boolean,
  at: (offset: number) => string,
): Mistake[] {
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  if (first) {
    const [why, advice] = isJson ? JSON_WORDS : (WORDS[first.code] ?? plain(first))
    return [{ why, place: at(first.pos[0]), advice }]
  }

  return errors.map(({ pos }) => ({
    why: `the key ${keyAt(text, pos[0])} is given twice`,
    place: at(pos[0]),
    advice: 'Remove one of the two.',
  }))
}

const JSON_WORDS: Words = [
  'it is not valid JSON from here on',
  'Look for a missing comma, quote or bracket.',
]

function plain({ message }: YAMLError): Words {
  return [
    `it is not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    'Correct the line.',
  ]
}

function keyAt(text: string, offset: number): string {
  const [key = ''] = /^("[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(text.slice(offset, offset + 80)) ?? []

  return key.replace(/^(["'])(.*)\1$/, '$2').replace(/^.*$/, '"$&"')
}
