/** Whether a text is the address of a publication. */
export function isPublication(text: string): boolean {
  return /^(rediss?|valkeys?|file):\/\//i.test(text);
}

/** Whether a text is the address of a Strapi. */
export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
