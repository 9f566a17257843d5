/** Returns the address to which a provider redirects browsers, as it is registered there. */
export const callbackUrl = (publicUrl: string, provider: string): string =>
  `${publicUrl}/api/userAuth/social/${provider}/callback`;
