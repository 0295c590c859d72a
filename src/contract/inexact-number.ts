/** A number of a JSON body that JavaScript would alter. It takes the number's place in the parsed value. */
export class InexactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
