float cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float c = 0.39894228f * native_exp(-0.5f * d * d) * p;
    return d > 0 ? 1.0f - c : c;
}
kernel void blackscholes(global float2 *out, global const float *price, global const float *strike, float years, float rate, float vol)
{
    size_t i = get_global_id(0);
    float s = price[i], x = strike[i], root = sqrt(years);
    float d1 = (log(s / x) + (rate + 0.5f * vol * vol) * years) / (vol * root), d2 = d1 - vol * root;
    float discount = exp(-rate * years);
    float call = s * cnd(d1) - x * discount * cnd(d2);
    out[i] = (float2)(call, call + x * discount - s);
}
